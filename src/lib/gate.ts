/** Room for a number of statements at once; callers get it in the order in which they ask. */
export class Gate {
  readonly #room: number;
  readonly #waiting: (() => void)[] = [];
  #inside = 0;
  #isShut = false;

  constructor(room: number) {
    this.#room = room;
  }

  /** Calls back once there is room, at once if there is. The caller gives the room back by `leave`. */
  enter(start: () => void): void {
    this.#waiting.push(start);
    this.#admit();
  }

  leave(): void {
    this.#inside -= 1;
    this.#admit();
  }

  /** While it is shut no more are let in, whatever room there is. */
  setShut(isShut: boolean): void {
    this.#isShut = isShut;
    this.#admit();
  }

  #admit(): void {
    while (!this.#isShut && this.#inside < this.#room) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#inside += 1;
      next();
    }
  }
}
