import { NotStartedError } from '../../words/not-started-error.ts';
import { MAX_CONFLICTS, waitAfterConflict } from '../attempt-in-transaction.ts';
import type { HeldClaim } from '../held-claim.ts';
import { BatchRun } from './batch-run.ts';
import { type AnyBatchHandler, callBatch, type CallBatch, type Came } from './call-batch.ts';
import { type Met, ALONE, RunsAloneError, Seat, type Undone } from './seat.ts';

/**
 * Messages whose handlers run as one. Each of them is claimed, kept and settled as if it were alone; their attempts
 * meet where the handler is called.
 *
 * It runs in rounds. In each the handler is called for all that have met, but of a lane only for those before the first
 * that has to wait. What such a run has undone, and what has to wait, runs alone after it, one by one. A lane ends at
 * the first message that its broker keeps.
 */
export class Batch {
  readonly handler: AnyBatchHandler;
  readonly keys = new Set<string>();
  readonly #seats: Seat[] = [];
  /** The first seat of each lane behind which nothing more runs. */
  readonly #lastOf = new Map<unknown, number>();
  #conflicts = 0;

  constructor(handler: AnyBatchHandler) {
    this.handler = handler;
  }

  /** A seat behind those that were taken before. Messages of a lane run in the order of their seats. */
  take(lane?: unknown): Seat {
    const seat = new Seat(this, this.#seats.length, lane);
    this.#seats.push(seat);
    return seat;
  }

  /** Handles a message in a seat, which is left at the end. `handle` resolves with whether its lane goes on. */
  async seat(lane: unknown, handle: (seat: Seat) => Promise<boolean>): Promise<boolean> {
    const seat = this.take(lane);
    let goesOn = false;
    try {
      goesOn = await handle(seat);
    } finally {
      seat.leave(goesOn);
    }
    return goesOn;
  }

  endLane({ lane, index }: Seat): void {
    this.#lastOf.set(lane, Math.min(index, this.#lastOf.get(lane) ?? index));
  }

  /** Runs the batch, once all seats are taken. Resolves when all of them have been left. */
  async run(): Promise<void> {
    const [only, second] = this.#seats;
    if (only !== undefined && second === undefined) only.isAlone = true;
    for (;;) {
      await Promise.all(this.#seats.map((seat) => seat.arrived));
      await this.#declineEnded();
      const group = this.#nextGroup();
      if (group.length === 0) return;
      if (group.length === 1) await this.#runOneByOne(group, { value: ALONE });
      else await this.#runTogether(group);
    }
  }

  /** Those that run next: with one another, or the first of those that wait. */
  #nextGroup(): readonly Seat[] {
    const waiting = new Set<unknown>();
    const group: Seat[] = [];
    for (const seat of this.#seats) {
      if (seat.state === 'waiting') waiting.add(seat.lane);
      if (seat.state === 'met' && !waiting.has(seat.lane)) group.push(seat);
    }
    return group.length > 0 ? group : this.#seats.filter(({ state }) => state === 'waiting').slice(0, 1);
  }

  async #declineEnded(): Promise<void> {
    const ended = this.#seats.filter((seat) => this.#hasEnded(seat));
    for (const seat of ended) seat.decline();
    await allLeft(ended);
  }

  /** Whether its lane has ended before it. */
  #hasEnded(seat: Seat): boolean {
    const last = this.#lastOf.get(seat.lane) ?? Infinity;
    return seat.state !== 'left' && last < seat.index;
  }

  async #runTogether(group: readonly Seat[]): Promise<void> {
    const end = group[0]?.met?.held.engine.batches.begin();
    if (end === undefined) {
      await this.#runOneByOne(group, { value: ALONE });
      return;
    }
    const undone = await this.#callOnce(group).finally(end);
    const back = new Set(undone?.met);
    const isBack = ({ met }: Seat): boolean => met !== undefined && back.has(met);
    const seats = group.filter(isBack);
    await allLeft(group.filter((seat) => !isBack(seat)));
    const [first] = seats;
    if (undone === undefined || first?.met === undefined) return;
    const { clock, events, settings } = first.met.held.engine;
    if (undone.byConflict && this.#conflicts < MAX_CONFLICTS) {
      this.#conflicts += 1;
      await waitAfterConflict(clock, this.#conflicts);
      for (const seat of seats) seat.meetAgain(undone.error);
      return;
    }
    const { error } = undone;
    // What its caller has stopped does not run.
    const messages = seats.filter(({ limits }) => limits?.signal?.aborted !== true).length;
    if (messages > 0) events.emit({ type: 'batch-undone', scope: settings.scope, key: '', messages, error });
    await this.#runOneByOne(seats, { error: new RunsAloneError(error) });
  }

  async #callOnce(group: readonly Seat[]): Promise<Undone | undefined> {
    const met = await startable(group);
    const [first] = met;
    const { runTogether, limits } = group[0] ?? {};
    if (first === undefined || runTogether === undefined) return undefined;
    const members: [HeldClaim, ...HeldClaim[]] = [first.held, ...met.slice(1).map(({ held }) => held)];
    const run = new BatchRun(members, limits?.timeoutMs);
    const given = met.map(({ payload, attempt }) => ({ payload, attempt: run.shareWith(attempt) }));
    const call: CallBatch = (...args) => callBatch(this.handler, given, ...args);
    try {
      return await first.inContext(() => runTogether(run, met, call));
    } finally {
      run.end();
    }
  }

  async #runOneByOne(seats: readonly Seat[], came: Came): Promise<void> {
    for (const seat of seats) {
      if (this.#hasEnded(seat)) seat.decline();
      else seat.runAlone(came);
      await seat.left;
    }
  }
}

/** Those whose attempts are not over. The others end. */
async function startable(group: readonly Seat[]): Promise<readonly Met[]> {
  const met = group.flatMap((seat) => seat.met ?? []);
  await Promise.all(met.map(({ held }) => held.isOver()));
  // In the turn in which the handler starts.
  return met.filter((each) => {
    const mayStart = each.held.mayStart;
    if (!mayStart)
      each.end({ error: new NotStartedError('its attempt was over before its batch could start') });
    return mayStart;
  });
}

async function allLeft(seats: readonly Seat[]): Promise<void> {
  await Promise.all(seats.map((seat) => seat.left));
}
