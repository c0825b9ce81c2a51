import type { World } from '../../world/world.ts';
import { Coordinator } from './coordinator.ts';
import { type Answer, type ClientError, refusal } from './errors.ts';
import { type LogRecord, PartitionLog, type Produced, type Slice } from './partition-log.ts';

export interface Place {
  readonly topic: string;
  readonly partition: number;
}

export interface FetchRequest {
  readonly node: number;
  readonly positions: readonly (Place & { readonly from: number })[];
  readonly maxWaitMs: number;
  /** Records of one partition. */
  readonly most: number;
}

export type FoundSlice = Place & Slice;

/** A fetch that came to its fault in one partition. */
export interface FetchFault {
  readonly place: Place;
  readonly error: ClientError;
}

type Fetched = readonly FoundSlice[] | FetchFault;

interface Poll {
  readonly request: FetchRequest;
  readonly answer: (fetched: Fetched) => void;
}

/** What a worker may do with a topic. */
export type Right = `${'write to' | 'describe'} ${string}`;

/** A cluster with one group: the logs of its topics, who leads them, and the coordinator. */
export class Broker {
  readonly coordinator: Coordinator;
  readonly #world: World;
  readonly #nodes: number;
  readonly #logs = new Map<string, readonly PartitionLog[]>();
  readonly #moved = new Map<PartitionLog, number>();
  /** Until when the workers lack a right. */
  readonly #forbiddenUntil = new Map<Right, number>();
  #polls: Poll[] = [];

  constructor(world: World, nodes: number, topics: Readonly<Record<string, number>>) {
    this.#world = world;
    this.#nodes = nodes;
    this.coordinator = new Coordinator(world);
    for (const [topic, count] of Object.entries(topics)) {
      const logs = Array.from({ length: count }, (_, partition) => new PartitionLog(topic, partition));
      this.#logs.set(topic, logs);
    }
  }

  get nodes(): readonly number[] {
    return Array.from({ length: this.#nodes }, (_, node) => node);
  }

  logs(): PartitionLog[] {
    return [...this.#logs.values()].flat();
  }

  logsOf(topic: string): readonly PartitionLog[] {
    return this.#logs.get(topic) ?? [];
  }

  logOf({ topic, partition }: Place): PartitionLog {
    const log = this.logsOf(topic)[partition];
    if (log === undefined) throw new Error(`the world has no partition ${topic}/${partition}`);
    return log;
  }

  leaderOf(place: Place): number {
    const log = this.logOf(place);
    return this.#moved.get(log) ?? log.partition % this.#nodes;
  }

  moveLeader(log: PartitionLog): void {
    this.#moved.set(log, (this.leaderOf(log) + 1) % this.#nodes);
    this.#world.tell({ type: 'fault', fault: 'leader of a partition moved', what: nameOf(log) });
    this.#serve();
  }

  /** Takes a right away from the workers for a while. */
  forbid(right: Right, forMs: number): void {
    this.#forbiddenUntil.set(right, this.#world.scheduler.now() + forMs);
    this.#world.tell({ type: 'fault', fault: 'right on a topic taken away', what: right });
  }

  /** What a request is refused with that needs a right which the workers lack. */
  refusalOf(right: Right): ClientError | undefined {
    const isForbidden = this.#world.scheduler.now() < (this.#forbiddenUntil.get(right) ?? 0);
    return isForbidden ? refusal('TOPIC_AUTHORIZATION_FAILED') : undefined;
  }

  append(log: PartitionLog, produced: Produced): LogRecord {
    const record = log.append(produced);
    this.#serve();
    return record;
  }

  /** Answers at once where there is something, else when there is, or at the end of the wait. */
  fetch(request: FetchRequest, answer: Answer<Fetched>): void {
    const poll = { request, answer };
    this.#polls.push(poll);
    this.#serve();
    if (!this.#polls.includes(poll)) return;
    this.#world.scheduler.after(request.maxWaitMs, () => {
      if (this.#polls.includes(poll)) this.#end(poll, this.#read(request));
    });
  }

  #serve(): void {
    for (const poll of this.#polls) {
      const fetched = this.#read(poll.request);
      if (!Array.isArray(fetched) || fetched.some(({ from, to }: FoundSlice) => to > from))
        this.#end(poll, fetched);
    }
  }

  #end(poll: Poll, fetched: Fetched): void {
    this.#polls = this.#polls.filter((one) => one !== poll);
    poll.answer(fetched);
  }

  #read({ node, positions, most }: FetchRequest): Fetched {
    const slices: FoundSlice[] = [];
    for (const { topic, partition, from } of positions) {
      const place = { topic, partition };
      if (this.leaderOf(place) !== node) return { place, error: refusal('NOT_LEADER_FOR_PARTITION') };
      const slice = this.logOf(place).read(from, most);
      if (slice === undefined) return { place, error: refusal('OFFSET_OUT_OF_RANGE') };
      slices.push({ ...place, ...slice });
    }
    return slices;
  }
}

export function nameOf({ topic, partition }: Place): string {
  return `${topic}/${partition}`;
}
