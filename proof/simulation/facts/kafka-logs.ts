import type { PlannedMessage } from '../plan/plan.ts';
import type { Life } from '../time/life.ts';
import type { Fact } from './facts.ts';
import { type Assigned, EARLIEST } from './kafka-facts.ts';

/** A message, or a copy of one, where it stands in a log. */
export interface Entry {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly message: PlannedMessage;
  readonly lane: string | undefined;
  /** Counts what is appended, whatever the log: copies of one message are in order by it. */
  readonly number: number;
}

/** What is known of one partition, apart from what its tracker knows. */
export interface LogHistory {
  readonly entries: Entry[];
  /** Before it retention has deleted everything. */
  begin: number;
  /** From there on nothing may be passed. Undefined before a member that has the partition has committed it. */
  owedFrom: number | undefined;
  /** Where it was first read after a warning that its start is not committed: what is before that may be passed. */
  warnedFrom: number | undefined;
  /** Where who takes over begins, as far as a commit says it. */
  committed: number | undefined;
  /** The highest that was ever committed: a late commit can be below it. */
  reached: number;
}

/** What the rules know of logs: kept apart from the adapter, from what was produced and committed. */
export class Logs {
  readonly #logs = new Map<string, LogHistory>();
  /** Each message itself, and then its copies. */
  readonly #entries = new Map<PlannedMessage, Entry[]>();
  readonly #tenures = new Map<Life, number>();
  readonly #letters = new Map<string, number>();
  readonly #assigned = new Map<Life, Assigned>();
  /** Those that are kept since they have no key, where a function for keys may be at fault. */
  readonly #keyless = new Set<string>();
  /** Those that were told that where a partition begins could not be committed. */
  readonly #warned = new Set<string>();
  #count = 0;

  of(topic: string, partition: number): LogHistory {
    const id = `${topic}/${partition}`;
    const known = this.#logs.get(id);
    if (known !== undefined) return known;
    const fresh: LogHistory = {
      entries: [],
      begin: 0,
      owedFrom: undefined,
      warnedFrom: undefined,
      committed: undefined,
      reached: 0,
    };
    this.#logs.set(id, fresh);
    return fresh;
  }

  /** Where a message stands itself. */
  originalOf(message: PlannedMessage): Entry | undefined {
    return this.#entries.get(message)?.[0];
  }

  entriesOf(message: PlannedMessage): readonly Entry[] {
    return this.#entries.get(message) ?? [];
  }

  /** Whether a later copy waits in place of an entry. */
  isHandedOver({ message, number }: Entry): boolean {
    return (this.#entries.get(message)?.at(-1)?.number ?? number) > number;
  }

  /** Those of a partition that are kept, may not be passed, and stand before a position. */
  owedBefore(topic: string, partition: number, position: number): readonly Entry[] {
    const { entries, begin, owedFrom = Infinity } = this.of(topic, partition);
    const from = Math.max(begin, owedFrom);
    return entries.filter(({ offset }) => offset >= from && offset < position);
  }

  /** How many letters of a message are under way or sent, by a consumer that cannot have forgotten them. */
  lettersOf(life: Life, message: PlannedMessage): number {
    return this.#letters.get(this.#letterOf(life, message)) ?? 0;
  }

  /** Whether a consumer has the partition of a message, or of a copy of it, as far as the group has told it. */
  hasPlaceOf(life: Life, message: PlannedMessage): boolean {
    const assigned = this.#assigned.get(life) ?? {};
    return this.entriesOf(message).some(({ topic, partition }) => assigned[topic]?.includes(partition));
  }

  /** Whether an entry is kept until a consumer finds a key of another: it was, and nothing behind it has one. */
  waitsForKeys({ topic, partition, offset }: Entry): boolean {
    const behind = this.of(topic, partition).entries.filter((entry) => entry.offset >= offset);
    const isKept = this.#keyless.has(`${topic}/${partition}/${offset}`);
    return isKept && behind.every(({ message }) => message.key === undefined);
  }

  hasWarned(life: Life): boolean {
    return this.#warned.has(life.id);
  }

  note(fact: Fact): void {
    if (fact.type === 'appended') this.#noteAppended(fact);
    if (fact.type === 'log-begins') this.of(fact.topic, fact.partition).begin = fact.offset;
    if (fact.type === 'fetched' && this.hasWarned(fact.life)) this.#noteWarned(fact);
    if (fact.type === 'position-committed') this.#noteCommitted(fact);
    if (fact.type === 'joined' && fact.assigned !== undefined) this.#assigned.set(fact.life, fact.assigned);
    if (fact.type === 'event' && fact.name === 'kept: invalid-key') this.#keyless.add(fact.of);
    // A partition that is read from elsewhere than it was left is forgotten too, and that is told.
    const forgets = fact.type === 'joined' || (fact.type === 'event' && fact.name === 'log-changed');
    if (forgets) this.#tenures.set(fact.life, (this.#tenures.get(fact.life) ?? 0) + 1);
    if (fact.type === 'letter-asked') this.#countLetter(fact, 1);
    if (fact.type === 'letter-answered' && !fact.isSent) this.#countLetter(fact, -1);
    if (fact.type === 'event' && fact.name === 'START_NOT_COMMITTED') this.#warned.add(fact.life.id);
  }

  /** From an offset on nothing may be passed. */
  owe(topic: string, partition: number, from: number): void {
    Object.assign(this.of(topic, partition), { owedFrom: from, warnedFrom: from });
  }

  #noteWarned({ topic, partition, from }: Extract<Fact, { type: 'fetched' }>): void {
    const log = this.of(topic, partition);
    log.warnedFrom ??= from;
    if (log.owedFrom !== undefined) log.owedFrom = Math.max(log.owedFrom, log.warnedFrom);
  }

  #noteAppended({ topic, partition, offset, message, lane }: Extract<Fact, { type: 'appended' }>): void {
    this.#count += 1;
    const entry = { topic, partition, offset, message, lane, number: this.#count };
    this.of(topic, partition).entries.push(entry);
    this.#entries.set(message, [...this.entriesOf(message), entry]);
  }

  /**
   * The start that a member found before it lost the partition can land later: its client sends a commit again, and the
   * group takes it from any member. The owner has found its own start by then.
   */
  #noteCommitted({ life, topic, partition, position }: Extract<Fact, { type: 'position-committed' }>): void {
    const log = this.of(topic, partition);
    log.committed = position === EARLIEST ? log.begin : position < 0 ? undefined : position;
    log.reached = Math.max(log.reached, position);
    const isOwners = this.#assigned.get(life)?.[topic]?.includes(partition) === true;
    if (position >= 0 && isOwners) log.owedFrom ??= Math.max(position, log.warnedFrom ?? 0);
  }

  #countLetter(
    { life, message }: { readonly life: Life; readonly message: PlannedMessage },
    by: number,
  ): void {
    this.#letters.set(this.#letterOf(life, message), this.lettersOf(life, message) + by);
  }

  #letterOf(life: Life, { id }: PlannedMessage): string {
    return `${life.id} ${this.#tenures.get(life) ?? 0} ${id}`;
  }
}
