import type { LogHeaders } from '../../../../adapters/shared/kafka/retry-copy.ts';

/** What a producer gives. */
export interface Produced {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: LogHeaders;
  readonly timestamp: string;
}

export interface LogRecord extends Produced {
  readonly offset: number;
}

/** What a fetch of one partition has found. */
export interface Slice {
  readonly from: number;
  /** The position behind the last that was read, markers of transactions too. */
  readonly to: number;
  readonly end: number;
  readonly records: readonly LogRecord[];
}

/** One partition of a topic. Its offsets have gaps, where there are markers of transactions. */
export class PartitionLog {
  readonly topic: string;
  readonly partition: number;
  #records: LogRecord[] = [];
  #start = 0;
  #end = 0;

  constructor(topic: string, partition: number) {
    this.topic = topic;
    this.partition = partition;
  }

  /** The oldest offset that is kept. */
  get start(): number {
    return this.#start;
  }

  /** The offset of the next record. */
  get end(): number {
    return this.#end;
  }

  append(produced: Produced): LogRecord {
    const record = { ...produced, offset: this.#end };
    this.#records.push(record);
    this.#end += 1;
    return record;
  }

  appendMarker(): void {
    this.#end += 1;
  }

  /** Undefined where the position is not in the log. */
  read(from: number, most: number): Slice | undefined {
    if (from < this.#start || from > this.#end) return undefined;
    const found = this.#records.filter(({ offset }) => offset >= from);
    const records = found.slice(0, most);
    const last = records.at(-1)?.offset ?? from;
    const to = records.length < found.length ? last + 1 : this.#end;
    return { from, to, end: this.#end, records };
  }

  /** As retention does it. */
  deleteBefore(offset: number): void {
    this.#start = Math.max(this.#start, Math.min(offset, this.#end));
    this.#records = this.#records.filter((record) => record.offset >= this.#start);
  }
}
