/** Random numbers that a seed decides: xorshift128 of Marsaglia. */
export class Random {
  #first: number;
  #second: number;
  #third: number;
  #fourth = 0x6a09e667;

  constructor(seed: number) {
    this.#first = seed | 0;
    this.#second = (seed ^ 0x9e3779b9) | 0;
    this.#third = (seed * 69_069) | 0;
    for (let warmUp = 0; warmUp < 20; warmUp += 1) this.next();
  }

  /** From 0, and below 1. */
  next(): number {
    const mixed = this.#fourth ^ (this.#fourth << 11);
    const next = this.#first ^ (this.#first >>> 19) ^ (mixed ^ (mixed >>> 8));
    this.#fourth = this.#third;
    this.#third = this.#second;
    this.#second = this.#first;
    this.#first = next;
    return (next >>> 0) / 2 ** 32;
  }

  /** From one number, and below the other. */
  between(from: number, below: number): number {
    return from + this.next() * (below - from);
  }

  /** A whole number; both ends can come. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  /** True as often as that, from 0 to 1. */
  chance(share: number): boolean {
    return this.next() < share;
  }

  /** There must be one. */
  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.next() * items.length)] as Item;
  }

  /** One that goes its own way: what asks this more often does not change that. */
  fork(): Random {
    return new Random(Math.floor(this.next() * 2 ** 32));
  }

  uuid(): string {
    return `${this.#digits(8)}-${this.#digits(4)}-${this.#digits(4)}-${this.#digits(4)}-${this.#digits(12)}`;
  }

  /** Hexadecimal ones. */
  #digits(count: number): string {
    return Math.floor(this.next() * 16 ** count)
      .toString(16)
      .padStart(count, '0');
  }
}
