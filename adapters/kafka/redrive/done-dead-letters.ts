/** Offsets of dead letters that are not done with: `from` and up to `to`. */
interface Open {
  readonly from: bigint;
  to: bigint;
}

const PREFIX = 'handle-once:';
const METADATA = /^handle-once:(\d+(?:,\d+,\d+)*)$/;
/** Brokers take 4,096 characters by default. A dead letter that is passed and one that is kept add fewer than 100. */
const MOST_LENGTH = 3_900;

/**
 * Which dead letters of a partition are done with: sent, or removed. All below its position are, and some behind dead
 * letters that were kept: the metadata that is committed with the position has them. Without that they would be read
 * again, and be sent again once their records have expired.
 *
 * Dead letters are gone through in their order, from the position on.
 */
export class DoneDeadLetters {
  #open: Open[];
  /** Behind the last dead letter that was passed or kept. */
  #reach: bigint;
  /** Behind the last dead letter that was read. Dead letters in between do not exist. */
  #seen: bigint;
  /** `position`: as committed, and negative where nothing is. Metadata that another program wrote says nothing. */
  constructor(position: bigint, metadata: string) {
    const from = position < 0n ? 0n : position;
    const [, lengths = '0'] = METADATA.exec(metadata) ?? [];
    const [length = 0n, ...gaps] = lengths.split(',').map(BigInt);
    this.#open = openOf(from, gaps);
    this.#reach = from + length;
    this.#seen = from;
  }

  /** Whether a dead letter is done with. */
  has(offset: bigint): boolean {
    return offset < this.#reach && !this.#open.some(({ from, to }) => from <= offset && offset < to);
  }

  /** Whether one more can be remembered. */
  get hasRoom(): boolean {
    return this.metadata.length <= MOST_LENGTH;
  }

  /** It is done with. */
  pass(offset: bigint): void {
    this.#closeUpTo(offset + 1n);
    if (offset >= this.#reach) this.#reach = offset + 1n;
  }

  /** It is not done with. */
  keep(offset: bigint): void {
    this.skip(offset);
    if (offset < this.#reach) return;
    const last = this.#open.at(-1);
    if (last?.to === this.#reach) last.to = offset + 1n;
    else this.#open.push({ from: offset, to: offset + 1n });
    this.#reach = offset + 1n;
  }

  /** It stays what it is. */
  skip(offset: bigint): void {
    this.#closeUpTo(offset);
    if (offset >= this.#seen) this.#seen = offset + 1n;
  }

  /** What is to be committed. */
  get position(): bigint {
    return this.#open[0]?.from ?? this.#reach;
  }

  /** What is to be committed with it: how far it reaches, and of each gap how far behind the last, and how long. */
  get metadata(): string {
    if (this.#open.length === 0) return '';
    let at = this.position;
    const gaps = this.#open.flatMap(({ from, to }) => {
      const before = at;
      at = to;
      return [from - before, to - from];
    });
    return `${PREFIX}${[this.#reach - this.position, ...gaps].join(',')}`;
  }

  #closeUpTo(to: bigint): void {
    const from = this.#seen;
    if (to <= from) return;
    this.#seen = to;
    const around = (open: Open): Open[] => [
      { from: open.from, to: open.to < from ? open.to : from },
      { from: open.from > to ? open.from : to, to: open.to },
    ];
    this.#open = this.#open.flatMap(around).filter((open) => open.from < open.to);
  }
}

function openOf(position: bigint, gaps: readonly bigint[]): Open[] {
  const open: Open[] = [];
  let at = position;
  for (let index = 0; index < gaps.length; index += 2) {
    const from = at + (gaps[index] ?? 0n);
    at = from + (gaps[index + 1] ?? 0n);
    open.push({ from, to: at });
  }
  return open;
}
