import { AsyncLocalStorage } from 'node:async_hooks';
import type { Attempt } from '../../words/attempt.ts';
import type { Outcome } from '../../words/outcome.ts';
import { NotStartedError } from '../../words/not-started-error.ts';
import { later } from '../../lib/later.ts';
import type { AttemptLimits, HeldClaim } from '../held-claim.ts';
import type { BatchRun } from './batch-run.ts';
import { type AnyBatchHandler, callBatch, type CallBatch, type Came } from './call-batch.ts';

/** An attempt that has come to the call of its batch's handler. */
export interface Met {
  readonly held: HeldClaim;
  readonly payload: unknown;
  readonly attempt: Attempt;
  /** Runs what is given in the context that the hook of the settings has set up, where there is one. */
  readonly inContext: <T>(run: () => T) => T;
  /** Ends the wait of the attempt. `conclude` replaces the settle of its record. */
  readonly end: (came: Came, conclude?: Conclusion) => void;
  /** Answers the attempt while the handler of the batch goes on, until `called` resolves. */
  readonly abandon: (conclude: Conclusion, called: Promise<unknown>) => void;
}

type Conclusion = () => Outcome<unknown> | Promise<Outcome<unknown>>;

/** What an undone run leaves: those that have to meet again, after a conflict, or to run one by one. */
export interface Undone {
  readonly met: readonly Met[];
  readonly byConflict: boolean;
  /** What the handler threw, or why the transaction could not commit. */
  readonly error: unknown;
}

/** Runs the handler of a batch for those that have met. Undefined: each of them has ended. */
export type RunTogether = (
  run: BatchRun,
  met: readonly Met[],
  call: CallBatch,
) => Promise<Undone | undefined>;

/** Returned for a message that has met no other: it runs alone, now. */
export const ALONE = Symbol('alone');

/** Thrown where a message of an undone batch has to run alone, now. */
export class RunsAloneError extends Error {
  override readonly name = 'RunsAloneError';

  constructor(cause: unknown) {
    super('its batch was undone: it runs alone', { cause });
  }
}

/** Thrown where the messages of a batch meet again: their run was given up for the sake of another transaction. */
export class MeetsAgainError extends Error {
  override readonly name = 'MeetsAgainError';

  constructor(cause: unknown) {
    super('its batch lost a transaction conflict: it runs again', { cause });
  }
}

/** `waiting`: it is not claimed until its turn comes, and runs alone then. */
type State = 'coming' | 'met' | 'waiting' | 'running' | 'left';

/** What a seat knows of its batch. */
interface BatchOfSeat {
  readonly handler: AnyBatchHandler;
  /** That its seats claim. */
  readonly keys: Set<string>;
  /** Nothing behind the seat in its lane runs any more. */
  readonly endLane: (seat: Seat) => void;
}

/** The place of one message in a batch. */
export class Seat {
  readonly index: number;
  readonly lane: unknown;
  state: State = 'coming';
  runTogether: RunTogether | undefined;
  limits: AttemptLimits | undefined;
  met: Met | undefined;
  conclude: Conclusion | undefined;
  /** Whether the message has to wait for its turn, without a claim: it runs alone, or another seat has it too. */
  hasToWait = false;
  /** Whether it did not get its turn. */
  isDeclined = false;
  readonly #batch: BatchOfSeat;
  #arrived = later<undefined>();
  readonly #left = later<undefined>();
  readonly #turn = later<boolean>();
  readonly #abandoned = later<undefined>();
  #held: HeldClaim | undefined;
  /** Whether it runs without others. Set before its claim where it is the only one of its batch. */
  isAlone = false;

  /** `index`: among the seats of the batch. Without a lane it has one of its own. */
  constructor(batch: BatchOfSeat, index: number, lane: unknown) {
    this.#batch = batch;
    this.index = index;
    this.lane = lane ?? this;
  }

  /** Resolves when it is known whether the message runs with the others. */
  get arrived(): Promise<unknown> {
    return this.#arrived.promise;
  }

  /** Resolves when nothing more happens to the message here. */
  get left(): Promise<unknown> {
    return this.#left.promise;
  }

  /** Resolves where the handler is not waited for any more. */
  get abandoned(): Promise<undefined> {
    return this.#abandoned.promise;
  }

  /** The message is claimed, and its handler is going to be called. */
  claimed(held: HeldClaim, limits: AttemptLimits, runTogether: RunTogether): void {
    this.#held = held;
    this.limits = limits;
    this.runTogether = runTogether;
  }

  /** Whether the message may be claimed now. One whose key another seat has is answered after that. */
  mayClaim(key: string): boolean {
    this.hasToWait = this.#batch.keys.has(key);
    this.#batch.keys.add(key);
    return !this.hasToWait;
  }

  /** The handler of the message: it takes part in the run of all, and calls the handler of the batch when alone. */
  readonly handler = async (
    payload: unknown,
    attempt: Attempt,
    ...extra: readonly unknown[]
  ): Promise<unknown> => {
    const held = this.#held;
    if (this.isAlone || held === undefined) {
      const [came] = await callBatch(this.#batch.handler, [{ payload, attempt }], extra);
      return valueOf(came as Came);
    }
    if (this.state === 'left') throw new NotStartedError('its batch did not wait for it');
    // From here on the limit is that of the run of all.
    held.limitTo({ signal: this.limits?.signal, timeoutMs: undefined });
    const ended = later<Came>();
    const end: Met['end'] = (came, conclude) => {
      this.conclude = conclude;
      ended.resolve(came);
    };
    const abandon: Met['abandon'] = (conclude, called) => {
      this.conclude = conclude;
      this.#abandoned.resolve(undefined);
      void called.then(() => {
        end({ value: undefined }, conclude);
      });
    };
    this.met = { held, payload, attempt, inContext: contextOf(held), end, abandon };
    this.#become('met');
    return valueOf(await ended.promise);
  };

  /** Waits for the turn of a message that must not run with the others. False: it must not run at all. */
  turn(): Promise<boolean> {
    this.#become('waiting');
    return this.#turn.promise;
  }

  /** Has the message come to the next run of all, with its payload as it was delivered. */
  meetAgain(cause: unknown): void {
    const { met } = this;
    this.state = 'coming';
    this.met = undefined;
    this.#arrived = later();
    met?.end({ error: new MeetsAgainError(cause) });
  }

  /** Lets the message run, alone. */
  runAlone(came: Came): void {
    this.isAlone = true;
    this.#give(true, came);
  }

  /** Ends the wait of the message without a run. */
  decline(): void {
    this.isDeclined = true;
    this.#give(false, { error: new NotStartedError('its turn has not come') });
  }

  #give(mayRun: boolean, came: Came): void {
    this.state = 'running';
    if (this.met === undefined) this.#turn.resolve(mayRun);
    else this.met.end(came);
  }

  /** To be called at the end, whatever has happened. `goesOn`: whether those behind it in its lane may run. */
  leave(goesOn: boolean): void {
    if (this.state === 'left') return;
    this.state = 'left';
    if (!goesOn) this.#batch.endLane(this);
    this.#arrived.resolve(undefined);
    this.#left.resolve(undefined);
  }

  #become(state: State): void {
    this.state = state;
    this.#arrived.resolve(undefined);
  }
}

/** Looked up only where it may matter: it costs each message of a batch. */
function contextOf({ engine }: HeldClaim): Met['inContext'] {
  return engine.settings.around === undefined ? (run) => run() : AsyncLocalStorage.snapshot();
}

export function valueOf(came: Came): unknown {
  if ('error' in came) throw came.error;
  return came.value;
}
