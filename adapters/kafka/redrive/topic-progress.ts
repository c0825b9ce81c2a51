/** How far a topic has been read, of what was in it at the start. Positions are those of the next message. */
export class TopicProgress {
  readonly #ends: ReadonlyMap<number, bigint>;
  readonly #reached = new Map<number, bigint>();
  #assigned: readonly number[] | undefined;

  constructor(ends: ReadonlyMap<number, bigint>) {
    this.#ends = ends;
  }

  /** The group has assigned the partitions: other members read theirs. */
  assign(partitions: readonly number[]): void {
    this.#assigned = partitions;
  }

  reach(partition: number, position: bigint): void {
    if (position > (this.#reached.get(partition) ?? 0n)) this.#reached.set(partition, position);
  }

  /** Whether a message is one to take: not taken before, and in the topic since the start. */
  isDue(partition: number, offset: bigint): boolean {
    return offset >= (this.#reached.get(partition) ?? 0n) && offset < (this.#ends.get(partition) ?? 0n);
  }

  /** Whether dead letters of any partition are left. */
  get isOpen(): boolean {
    return [...this.#ends.keys()].some((partition) => this.#isOpen(partition));
  }

  isReadToEnd(): boolean {
    return this.#assigned?.every((partition) => !this.#isOpen(partition)) === true;
  }

  #isOpen(partition: number): boolean {
    const end = this.#ends.get(partition);
    return end !== undefined && (this.#reached.get(partition) ?? 0n) < end;
  }
}
