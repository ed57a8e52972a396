/** Cuts a stream of bytes into messages. Pieces may end anywhere, also in the middle of a message. */
export interface Framer<Message> {
  push(bytes: Uint8Array): Message[];
  /** Forgets a half message, as after a lost link. */
  reset(): void;
}
