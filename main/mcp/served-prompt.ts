/** A text that a client can ask for by name, so that every client can be given the same one. */
export interface ServedPrompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly text: string;
}
