import type { Assigned } from '../../facts/kafka-facts.ts';
import type { Life } from '../../time/life.ts';
import type { World } from '../../world/world.ts';
import { type Answer, type ClientError, refusal, requestTimedOut } from './errors.ts';

export interface JoinRequest {
  readonly life: Life;
  /** Undefined for one that is new. */
  readonly memberId: string | undefined;
  readonly sessionMs: number;
  readonly rebalanceMs: number;
  readonly topics: readonly string[];
}

export interface Joined {
  readonly memberId: string;
  readonly generation: number;
  readonly leader: string;
  /** Of the whole group, for its leader. */
  readonly members: readonly string[];
}

interface Member extends JoinRequest {
  readonly memberId: string;
  expiresAt: number;
  assigned: Assigned;
  joining: Answer<Joined> | undefined;
  syncing: Answer<Assigned> | undefined;
  /** Whether it has asked for its partitions in this generation. */
  hasAsked: boolean;
}

export interface MemberClaim {
  readonly memberId: string | undefined;
  readonly generation: number;
}

type State = 'Empty' | 'PreparingRebalance' | 'CompletingRebalance' | 'Stable';

/** How long a client waits for an answer that a rebalance may delay. */
const UNANSWERED_MS = 20_000;

/** A group of consumers is not complete at once when its first member comes. */
const FIRST_WAIT_MS = 300;

/**
 * Coordinates one group, as a broker does: members join, their leader gives out the partitions, and who is silent for
 * its session timeout is left out. A rebalance is eager: all members join again.
 *
 * A commit is refused to who is not a member of the present generation. Whether the partition is its own is not looked
 * at.
 */
export class Coordinator {
  readonly #world: World;
  readonly #members = new Map<string, Member>();
  readonly #committed = new Map<string, number>();
  #state: State = 'Empty';
  #generation = 0;
  #leader = '';
  #lastId = 0;
  /** Counts rebalances, so that the timer of one does not end another. */
  #rebalances = 0;
  #awayUntil = 0;
  #waitsForOthers = false;

  constructor(world: World) {
    this.#world = world;
  }

  get state(): State {
    return this.#isAway() ? 'PreparingRebalance' : this.#state;
  }

  /** What the members subscribe to. */
  subscriptions(): (readonly string[])[] {
    return [...this.#members.values()].map(({ topics }) => topics);
  }

  committedOf(topic: string, partition: number): number | undefined {
    const position = this.#committed.get(`${topic}/${partition}`);
    return position === undefined || position < 0 ? undefined : position;
  }

  /** Another broker coordinates the group from now on, and has to read what is known of it first. */
  moveAway(milliseconds: number): void {
    this.#awayUntil = this.#now() + milliseconds;
  }

  join(request: JoinRequest, answer: Answer<Joined>): void {
    if (this.#isAway()) answer(refusal('NOT_COORDINATOR_FOR_GROUP'));
    else if (request.memberId === undefined) this.#admit(request, answer);
    else {
      const member = this.#members.get(request.memberId);
      if (member === undefined) answer(refusal('UNKNOWN_MEMBER_ID'));
      else this.#joinAgain(member, answer);
    }
  }

  /** `given`: by the leader. */
  sync(claim: MemberClaim, given: ReadonlyMap<string, Assigned> | undefined, answer: Answer<Assigned>): void {
    const fault = this.#faultOf(claim);
    const member = this.#members.get(claim.memberId ?? '');
    if (fault === undefined && member !== undefined) member.hasAsked = true;
    if (fault !== undefined || member === undefined) answer(fault ?? refusal('UNKNOWN_MEMBER_ID'));
    else if (this.#state === 'PreparingRebalance') answer(refusal('REBALANCE_IN_PROGRESS'));
    else if (this.#state === 'Stable') answer(member.assigned);
    else {
      this.#leaveUnanswered(member.syncing);
      member.syncing = answer;
      if (given !== undefined) this.#giveOut(given);
    }
  }

  heartbeat(claim: MemberClaim): ClientError | undefined {
    const fault = this.#faultOf(claim);
    if (fault !== undefined) return fault;
    this.#keep(claim);
    return this.#state === 'PreparingRebalance' ? refusal('REBALANCE_IN_PROGRESS') : undefined;
  }

  /** A negative position is what kafkajs commits where it begins again: then none is committed. */
  commit(
    life: Life,
    claim: MemberClaim,
    topic: string,
    positions: ReadonlyMap<number, number>,
  ): ClientError | undefined {
    const fault = this.#faultOf(claim);
    if (fault !== undefined) {
      const isFenced = fault.type !== 'NOT_COORDINATOR_FOR_GROUP';
      if (isFenced) this.#world.tell({ type: 'fault', fault: 'commit of a fenced member', life });
      return fault;
    }
    if (this.#state === 'CompletingRebalance') return refusal('REBALANCE_IN_PROGRESS');
    this.#keep(claim);
    for (const [partition, position] of positions) {
      this.#committed.set(`${topic}/${partition}`, position);
      this.#world.tell({ type: 'position-committed', life, topic, partition, position });
    }
    return undefined;
  }

  leave(memberId: string): void {
    const member = this.#members.get(memberId);
    if (member !== undefined && !this.#isAway()) this.#remove(member);
  }

  #isAway(): boolean {
    return this.#now() < this.#awayUntil;
  }

  #faultOf({ memberId, generation }: MemberClaim): ClientError | undefined {
    if (this.#isAway()) return refusal('NOT_COORDINATOR_FOR_GROUP');
    if (!this.#members.has(memberId ?? '')) return refusal('UNKNOWN_MEMBER_ID');
    return generation === this.#generation ? undefined : refusal('ILLEGAL_GENERATION');
  }

  #admit(request: JoinRequest, answer: Answer<Joined>): void {
    this.#lastId += 1;
    const memberId = `${request.life.id}-${this.#lastId}`;
    const member: Member = {
      ...{ ...request, memberId, expiresAt: this.#now() + request.sessionMs },
      ...{ assigned: {}, joining: answer, syncing: undefined, hasAsked: false },
    };
    this.#members.set(memberId, member);
    this.#watch(member);
    this.#rebalance();
  }

  #joinAgain(member: Member, answer: Answer<Joined>): void {
    this.#keep(member);
    const isSettled = this.#state === 'Stable' || this.#state === 'CompletingRebalance';
    if (isSettled && member.memberId !== this.#leader) {
      answer(this.#joined(member));
      return;
    }
    this.#leaveUnanswered(member.joining);
    member.joining = answer;
    this.#rebalance();
  }

  /** A member has asked once more: only that is answered, and the first request of its client times out. */
  #leaveUnanswered(answer: Answer<never> | undefined): void {
    if (answer === undefined) return;
    this.#world.scheduler.after(UNANSWERED_MS, () => {
      answer(requestTimedOut());
    });
  }

  /** All members have to join again; who has not done so within the rebalance timeout is left behind. */
  #rebalance(): void {
    if (this.#state === 'PreparingRebalance') {
      this.#completeIfAllJoined();
      return;
    }
    const isFirst = this.#state === 'Empty';
    this.#state = 'PreparingRebalance';
    this.#waitsForOthers = isFirst;
    this.#rebalances += 1;
    const rebalance = this.#rebalances;
    for (const member of this.#members.values()) {
      member.syncing?.(refusal('REBALANCE_IN_PROGRESS'));
      member.syncing = undefined;
    }
    this.#world.scheduler.after(isFirst ? FIRST_WAIT_MS : this.#longestMs(), () => {
      if (rebalance === this.#rebalances && this.#state === 'PreparingRebalance') this.#complete();
    });
    this.#completeIfAllJoined();
  }

  #completeIfAllJoined(): void {
    if (this.#waitsForOthers) return;
    if ([...this.#members.values()].every(({ joining }) => joining !== undefined)) this.#complete();
  }

  #complete(): void {
    this.#waitsForOthers = false;
    for (const [id, { joining, life }] of this.#members) {
      if (joining !== undefined) continue;
      this.#members.delete(id);
      this.#tellLeftBehind(life);
    }
    this.#generation += 1;
    if (this.#members.size === 0) {
      this.#state = 'Empty';
      return;
    }
    this.#state = 'CompletingRebalance';
    if (!this.#members.has(this.#leader)) this.#leader = [...this.#members.keys()][0] as string;
    for (const member of this.#members.values()) {
      this.#keep(member);
      member.hasAsked = false;
      member.joining?.(this.#joined(member));
      member.joining = undefined;
    }
    this.#watchSync(this.#generation);
  }

  /** Leaves out who does not ask for its partitions within the rebalance timeout. */
  #watchSync(generation: number): void {
    this.#world.scheduler.after(this.#longestMs(), () => {
      if (this.#generation !== generation || this.#state === 'PreparingRebalance') return;
      for (const member of [...this.#members.values()].filter(({ hasAsked }) => !hasAsked)) {
        this.#tellLeftBehind(member.life);
        this.#remove(member);
      }
    });
  }

  #longestMs(): number {
    return Math.max(...[...this.#members.values()].map(({ rebalanceMs }) => rebalanceMs), 0);
  }

  #joined({ memberId }: Member): Joined {
    const members = memberId === this.#leader ? [...this.#members.keys()] : [];
    return { memberId, generation: this.#generation, leader: this.#leader, members };
  }

  #giveOut(given: ReadonlyMap<string, Assigned>): void {
    this.#state = 'Stable';
    for (const member of this.#members.values()) {
      member.assigned = given.get(member.memberId) ?? {};
      this.#keep(member);
      member.syncing?.(member.assigned);
      member.syncing = undefined;
    }
  }

  #remove(member: Member): void {
    this.#members.delete(member.memberId);
    member.joining?.(refusal('UNKNOWN_MEMBER_ID'));
    member.syncing?.(refusal('UNKNOWN_MEMBER_ID'));
    if (this.#state === 'PreparingRebalance') this.#completeIfAllJoined();
    else this.#rebalance();
  }

  #keep({ memberId = '' }: { readonly memberId: string | undefined }): void {
    const member = this.#members.get(memberId);
    if (member !== undefined) member.expiresAt = this.#now() + member.sessionMs;
  }

  /** Leaves a member out that is silent for its session timeout, unless it waits for an answer. */
  #watch(member: Member): void {
    this.#world.scheduler.after(member.expiresAt - this.#now(), () => {
      if (this.#members.get(member.memberId) !== member) return;
      const waits = member.joining !== undefined || member.syncing !== undefined;
      if (waits || this.#isAway()) member.expiresAt = this.#now() + member.sessionMs;
      if (this.#now() < member.expiresAt) {
        this.#watch(member);
        return;
      }
      this.#tellLeftBehind(member.life);
      this.#remove(member);
    });
  }

  #tellLeftBehind(life: Life): void {
    if (life.isAlive) this.#world.tell({ type: 'fault', fault: 'group went on without a member', life });
  }

  #now(): number {
    return this.#world.scheduler.now();
  }
}
