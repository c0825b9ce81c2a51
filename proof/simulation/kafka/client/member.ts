import type { Assigned } from '../../facts/kafka-facts.ts';
import type { FetchFault, FoundSlice, Place } from '../broker/broker.ts';
import type { Joined } from '../broker/coordinator.ts';
import { ClientError, isOfType, isRebalancing } from '../broker/errors.ts';
import type { ConsumerOptions } from './consumer-options.ts';
import { Offsets, type Positions } from './offsets.ts';
import { retrying } from './retrier.ts';
import { Subscription } from './subscription.ts';

export interface MemberOptions extends ConsumerOptions {
  readonly committed: Positions;
  readonly autoCommitIntervalMs: number;
  readonly onJoined: (assigned: Assigned) => void;
}

/** A place in the group, as the client has it: it joins, keeps its place, fetches and commits. */
export class GroupMember {
  readonly subscription = new Subscription();
  readonly #options: MemberOptions;
  readonly #seeks = new Map<string, Place & { readonly position: number }>();
  /** By which broker each partition is led, as far as is known. */
  readonly #leaders = new Map<string, number>();
  #memberId: string | undefined;
  #generation = 0;
  #assigned: Assigned = {};
  #offsets: Offsets | undefined;
  #heartbeatAt: number;
  #heartbeat: Promise<void> | undefined;

  constructor(options: MemberOptions) {
    this.#options = options;
    this.#heartbeatAt = options.life.clock.wall();
    this.#readLeaders();
  }

  get offsets(): Offsets {
    // The client runs nothing before it has joined.
    return this.#offsets as Offsets;
  }

  seek(place: Place, position: number): void {
    this.#seeks.set(idOf(place), { ...place, position });
  }

  hasSeek(place: Place): boolean {
    return this.#seeks.has(idOf(place));
  }

  joinAndSync(): Promise<void> {
    return retrying(this.#options.life.clock, async (bail) => {
      try {
        await this.#joinOnce();
      } catch (error) {
        if (isOfType(error, 'UNKNOWN_MEMBER_ID')) this.#memberId = undefined;
        else if (!isRebalancing(error)) {
          bail(error as Error);
          return;
        }
        throw new ClientError('KafkaJSError', String(error));
      }
    });
  }

  /** As a member that the group does not know. */
  forgetMembership(): void {
    this.#memberId = undefined;
  }

  async leave(): Promise<void> {
    const { link, broker } = this.#options;
    const memberId = this.#memberId;
    if (memberId === undefined) return;
    await link.request((answer) => {
      broker.coordinator.leave(memberId);
      answer(undefined);
    });
    this.#memberId = undefined;
  }

  /** Sends a heartbeat when its interval is over, and no other is under way. */
  heartbeat(): Promise<void> {
    this.#heartbeat ??= this.#beat().finally(() => {
      this.#heartbeat = undefined;
    });
    return this.#heartbeat;
  }

  async fetch(node: number): Promise<readonly FoundSlice[]> {
    try {
      return await this.#fetch(node);
    } catch (error) {
      await this.#recover(error);
      return [];
    }
  }

  async #joinOnce(): Promise<void> {
    const { link, broker, life, topics, sessionMs, rebalanceMs, onJoined } = this.#options;
    const request = { life, memberId: this.#memberId, sessionMs, rebalanceMs, topics };
    const joined = await link.request<Joined>((answer) => {
      broker.coordinator.join(request, answer);
    });
    this.#memberId = joined.memberId;
    this.#generation = joined.generation;
    const claim = { memberId: joined.memberId, generation: joined.generation };
    const given = joined.leader === joined.memberId ? this.#giveOut(joined.members) : undefined;
    // Where that answer alone is lost kafkajs keeps its old partitions, until the group meets again.
    const assigned = await link.requestOrNothing<Assigned>((answer) => {
      broker.coordinator.sync(claim, given, answer);
    });
    this.#assigned = assigned;
    this.#offsets = new Offsets({ ...this.#options, claim, assigned });
    onJoined(assigned);
  }

  /** In turns, by the order of their ids. */
  #giveOut(members: readonly string[]): ReadonlyMap<string, Assigned> {
    const { broker, topics } = this.#options;
    const sorted = [...members].sort();
    const given = new Map<string, Record<string, number[]>>();
    topics
      .flatMap((topic) => broker.logsOf(topic))
      .forEach(({ topic, partition }, index) => {
        const of = given.get(sorted[index % sorted.length] as string) ?? {};
        given.set(sorted[index % sorted.length] as string, of);
        (of[topic] ??= []).push(partition);
      });
    return given;
  }

  async #beat(): Promise<void> {
    const { link, broker, life, heartbeatMs } = this.#options;
    if (this.#memberId === undefined || life.clock.wall() < this.#heartbeatAt + heartbeatMs) return;
    const claim = { memberId: this.#memberId, generation: this.#generation };
    await link.request((answer) => {
      answer(broker.coordinator.heartbeat(claim));
    });
    this.#heartbeatAt = life.clock.wall();
  }

  async #fetch(node: number): Promise<readonly FoundSlice[]> {
    const { link, broker, life, maxWaitMs, most } = this.#options;
    await this.#applySeeks();
    const positions = this.#active(node).map((place) => ({ ...place, from: this.offsets.nextOf(place) }));
    if (positions.length === 0) {
      await new Promise<void>((resolve) => {
        life.clock.setTimer(resolve, maxWaitMs);
      });
      return [];
    }
    const request = { node, positions, maxWaitMs, most };
    const fetched = await link.request<readonly FoundSlice[] | FetchFault>((answer) => {
      this.#options.onFetch(positions);
      broker.fetch(request, answer);
    }, 'fetches');
    if ('error' in fetched) throw Object.assign(fetched.error, { place: fetched.place });
    return fetched.filter((place) => !this.hasSeek(place) && !this.#isPaused(place));
  }

  async #applySeeks(): Promise<void> {
    for (const place of this.#places()) {
      const seek = this.#seeks.get(idOf(place));
      if (seek === undefined) continue;
      this.#seeks.delete(idOf(place));
      await this.offsets.seek(place, seek.position);
    }
    await this.offsets.find();
  }

  #places(): Place[] {
    return Object.entries(this.#assigned).flatMap(([topic, partitions]) =>
      partitions.map((partition) => ({ topic, partition })),
    );
  }

  #active(node: number): Place[] {
    return this.#places().filter(
      (place) =>
        this.#leaders.get(idOf(place)) === node && this.offsets.isKnown(place) && !this.#isPaused(place),
    );
  }

  #isPaused({ topic, partition }: Place): boolean {
    return this.subscription.isPaused(topic, partition);
  }

  async #recover(error: unknown): Promise<void> {
    if (isOfType(error, 'NOT_LEADER_FOR_PARTITION')) {
      this.#readLeaders();
      // The handlers of other fetches run on meanwhile.
      await this.joinAndSync();
    } else if (isOfType(error, 'OFFSET_OUT_OF_RANGE')) {
      const { place } = error as { readonly place?: Place };
      if (place !== undefined) this.#options.onOutOfRange(place);
      if (place !== undefined) await this.offsets.beginAnew(place);
    } else if (!(error instanceof ClientError) || error.name !== 'KafkaJSConnectionClosedError') throw error;
  }

  #readLeaders(): void {
    const { broker } = this.#options;
    for (const log of broker.logs()) this.#leaders.set(idOf(log), broker.leaderOf(log));
  }
}

function idOf({ topic, partition }: Place): string {
  return `${topic}/${partition}`;
}
