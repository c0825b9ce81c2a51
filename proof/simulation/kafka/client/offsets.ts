import { type Assigned, EARLIEST } from '../../facts/kafka-facts.ts';
import type { Life } from '../../time/life.ts';
import type { MemberClaim } from '../broker/coordinator.ts';
import type { Broker, Place } from '../broker/broker.ts';
import type { ClientError } from '../broker/errors.ts';
import type { Link } from './link.ts';

/** Positions by topic and partition. */
export type Positions = Map<string, Map<number, number>>;

/** What kafkajs commits when its position is not in the log, and it begins at the end. */
const LATEST = -1;

export interface OffsetsOptions {
  readonly life: Life;
  readonly link: Link;
  readonly broker: Broker;
  readonly claim: MemberClaim;
  readonly assigned: Assigned;
  /** One map for all generations of a client: kafkajs has it so. */
  readonly committed: Positions;
  readonly beginsAtStart: (topic: string) => boolean;
  readonly autoCommitIntervalMs: number;
}

/** The positions of one generation, as kafkajs keeps them: what was resolved, and what was committed. */
export class Offsets {
  readonly #options: OffsetsOptions;
  readonly #resolved: Positions = new Map();
  #lastCommit: number;

  constructor(options: OffsetsOptions) {
    this.#options = options;
    this.#lastCommit = options.life.clock.wall();
    options.committed.clear();
    for (const topic of Object.keys(options.assigned)) {
      options.committed.set(topic, new Map());
      this.#resolved.set(topic, new Map());
    }
  }

  isKnown({ topic, partition }: Place): boolean {
    return this.#options.committed.get(topic)?.has(partition) === true;
  }

  /** As `nextOffset` of kafkajs, which resolves what it has read: a later answer of the group does not move that. */
  nextOf({ topic, partition }: Place): number {
    const resolved = this.#resolved.get(topic);
    const position = resolved?.get(partition) ?? this.#options.committed.get(topic)?.get(partition) ?? 0;
    resolved?.set(partition, position);
    return Math.max(0, position);
  }

  /** Throws a `TypeError` for a topic of which nothing is assigned. Of which partition it is is not looked at. */
  resolve({ topic, partition }: Place, position: number): void {
    const resolved = this.#resolved.get(topic);
    if (resolved === undefined) throw new TypeError(`Cannot set properties of undefined (${topic})`);
    resolved.set(partition, position);
  }

  async commitIfDue(): Promise<void> {
    const { life, autoCommitIntervalMs } = this.#options;
    if (life.clock.wall() >= this.#lastCommit + autoCommitIntervalMs) await this.commit();
  }

  async commit(positions: Positions = this.#uncommitted()): Promise<void> {
    const { life, committed } = this.#options;
    if (positions.size > 0) await this.#send(positions);
    for (const [topic, of] of positions)
      committed.set(topic, new Map([...(committed.get(topic) ?? []), ...of]));
    this.#lastCommit = life.clock.wall();
  }

  /** Commits a position, and reads on from what is committed then. */
  async seek({ topic, partition }: Place, position: number): Promise<void> {
    if (this.#options.assigned[topic]?.includes(partition) !== true) return;
    await this.#send(new Map([[topic, new Map([[partition, position]])]]));
    this.#forget({ topic, partition });
  }

  /** For a partition whose position is not in the log. */
  async beginAnew(place: Place): Promise<void> {
    const position = this.#options.beginsAtStart(place.topic) ? EARLIEST : LATEST;
    await this.#send(new Map([[place.topic, new Map([[place.partition, position]])]]));
    this.#forget(place);
  }

  /** Asks where the group has come to, and where a partition begins of which that is not known. */
  async find(): Promise<void> {
    const places = this.#assignedPlaces().filter((place) => !this.isKnown(place));
    if (places.length === 0) return;
    const { link, broker } = this.#options;
    const committed = await link.request<readonly (number | undefined)[]>((answer) => {
      answer(places.map(({ topic, partition }) => broker.coordinator.committedOf(topic, partition)));
    });
    const open = places.filter((_, index) => committed[index] === undefined);
    const ends = open.length === 0 ? [] : await this.#ends(open);
    places.forEach(({ topic, partition }, index) => {
      const position = committed[index] ?? ends[open.indexOf(places[index] as Place)] ?? 0;
      this.#options.committed.get(topic)?.set(partition, position);
    });
  }

  #ends(places: readonly Place[]): Promise<readonly number[]> {
    const { link, broker, beginsAtStart } = this.#options;
    return link.request((answer) => {
      answer(
        places.map((place) => {
          const log = broker.logOf(place);
          return beginsAtStart(place.topic) ? log.start : log.end;
        }),
      );
    });
  }

  #assignedPlaces(): Place[] {
    return Object.entries(this.#options.assigned).flatMap(([topic, partitions]) =>
      partitions.map((partition) => ({ topic, partition })),
    );
  }

  #uncommitted(): Positions {
    const { committed } = this.#options;
    const uncommitted: Positions = new Map();
    for (const [topic, of] of this.#resolved) {
      const changed = [...of].filter(
        ([partition, position]) => committed.get(topic)?.get(partition) !== position,
      );
      if (changed.length > 0) uncommitted.set(topic, new Map(changed));
    }
    return uncommitted;
  }

  #send(positions: Positions): Promise<void> {
    const { life, link, broker, claim } = this.#options;
    return link.commit(() => {
      let fault: ClientError | undefined;
      for (const [topic, of] of positions) fault ??= broker.coordinator.commit(life, claim, topic, of);
      return fault;
    });
  }

  #forget({ topic, partition }: Place): void {
    this.#options.committed.get(topic)?.delete(partition);
    this.#resolved.get(topic)?.delete(partition);
  }
}
