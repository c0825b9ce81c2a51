/** What a handler has written of a body, in memory. */
export class HeldBody {
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether it is more than can be kept. */
  get isFull(): boolean {
    return this.#size > this.#maxBytes;
  }

  add(bytes: Buffer): void {
    this.#chunks.push(bytes);
    this.#size += bytes.length;
  }

  whole(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}
