/** Positions of X, Y and Z in mm. */
export type Position_mm = readonly [x: number, y: number, z: number];

const ZERO: Position_mm = [0, 0, 0];
const SYSTEMS = 6;

/** What lies between machine and work coordinates, and the two places kept to go back to. */
export class WorkOffsets {
  #systems: Position_mm[] = Array.from({ length: SYSTEMS }, () => ZERO);
  #home: Position_mm = ZERO;
  #secondHome: Position_mm = ZERO;
  /** G92; gone after a reset. */
  shift: Position_mm = ZERO;
  /** Of Z; gone after a reset. */
  toolLength_mm = 0;

  system(index: number): Position_mm {
    return this.#systems[index] ?? ZERO;
  }

  setSystem(index: number, position: Position_mm): void {
    this.#systems[index] = position;
  }

  place(name: "G28" | "G30"): Position_mm {
    return name === "G28" ? this.#home : this.#secondHome;
  }

  setPlace(name: "G28" | "G30", position: Position_mm): void {
    if (name === "G28") {
      this.#home = position;
    } else {
      this.#secondHome = position;
    }
  }

  /** Machine position of the zero of work coordinates. */
  offset(system: number): Position_mm {
    const [x, y, z] = this.system(system);
    return [x + this.shift[0], y + this.shift[1], z + this.shift[2] + this.toolLength_mm];
  }

  /** A reset forgets what is not kept in the memory. */
  reset(): void {
    this.shift = ZERO;
    this.toolLength_mm = 0;
  }

  restore(): void {
    this.#systems = Array.from({ length: SYSTEMS }, () => ZERO);
    this.#home = ZERO;
    this.#secondHome = ZERO;
  }

  /** The answer to $#, with a function that writes a position. */
  lines(text: (position: Position_mm) => string, length: (value_mm: number) => string): string[] {
    return [
      ...this.#systems.map((position, index) => `[G${54 + index}:${text(position)}]`),
      `[G28:${text(this.#home)}]`,
      `[G30:${text(this.#secondHome)}]`,
      `[G92:${text(this.shift)}]`,
      `[TLO:${length(this.toolLength_mm)}]`,
      `[PRB:${text(ZERO)}:0]`,
    ];
  }
}
