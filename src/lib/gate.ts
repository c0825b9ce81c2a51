/**
 * Room for a number of statements, or handlers, at once. Lines take turns, and in each line callers get room in the
 * order in which they ask.
 */
export class Gate {
  readonly #room: number;
  /** Those who wait, the line whose turn is next first. None is empty. */
  readonly #lines = new Map<string, (() => void)[]>();
  #inside = 0;
  #isShut = false;

  constructor(room: number) {
    this.#room = room;
  }

  /** Calls back once there is room, at once if there is. The caller gives the room back by `leave`. */
  enter(start: () => void, line = ''): void {
    const waiting = this.#lines.get(line);
    if (waiting === undefined) this.#lines.set(line, [start]);
    else waiting.push(start);
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
      const next = this.#next();
      if (next === undefined) return;
      this.#inside += 1;
      next();
    }
  }

  #next(): (() => void) | undefined {
    for (const [line, waiting] of this.#lines) {
      const first = waiting.shift();
      this.#lines.delete(line);
      if (waiting.length > 0) this.#lines.set(line, waiting);
      return first;
    }
    return undefined;
  }
}
