import { LeaseLostError, StoreError } from '../../words/errors.ts';
import { later } from '../../lib/later.ts';
import type { Attempt } from '../../words/attempt.ts';
import type { HeldClaim } from '../held-claim.ts';
import { type KeptSteps, keptStepsOf } from '../../payload/kept-steps.ts';
import { keepUntilAnswered } from './keep-until-answered.ts';
import { StepCall } from './step-call.ts';
import { StepNames, wrongStep } from './step-names.ts';
import { resultOfStep } from './step-result.ts';

const MAX_STEPS = 1_000;

type Run = (childKey: string) => unknown;

/** What one attempt does step by step. */
export class Steps {
  readonly #held: HeldClaim;
  readonly #attempt: Attempt;
  #parsed: KeptSteps | undefined;
  readonly #names = new StepNames();
  readonly #calls: StepCall[] = [];
  /** Names of those that run. */
  readonly #running = new Set<string>();
  /** Of this attempt. What the database refuses is omitted. */
  readonly #unwritten = new Map<string, { readonly ms: number; readonly value: unknown }>();
  #writing: Promise<unknown> = Promise.resolve();
  #waiting: Promise<void> | undefined;

  constructor(held: HeldClaim, attempt: Attempt) {
    this.#held = held;
    this.#attempt = attempt;
  }

  /** Answers a step from the record, or runs it and puts its end on record. */
  step(name: string, run: Run): StepCall {
    const call = StepCall.of(this.#answer(name, run));
    this.#calls.push(call);
    return call;
  }

  /**
   * Starts no other step, and resolves when none runs any more, or when the lease is lost. Undefined: the attempt ended
   * well. Otherwise why it did not: a step failed that the handler had not used, or one still runs after the lease.
   */
  async end(): Promise<{ readonly reason: unknown; readonly isDeath?: true } | undefined> {
    const { lease } = this.#held;
    const lost = later<undefined>();
    const look = (): void => {
      if (!lease.isKept()) lost.resolve(undefined);
    };
    const waited: StepCall[] = [];
    for (let open = this.#open(); open.length > 0 && lease.isKept(); open = this.#open()) {
      this.#held.abort(
        new DOMException('the handler has ended, and did not wait for its step', 'AbortError'),
      );
      this.#held.onOverdue(look);
      waited.push(...open);
      await Promise.race([Promise.allSettled(open.map(({ answer }) => answer)), lost.promise]);
    }
    if (this.#open().length > 0) {
      const reason = new LeaseLostError(
        'the handler has returned, and its lease was over before its step had ended',
      );
      return { reason, isDeath: true };
    }
    const unheard = this.#calls.filter(({ isHeard }) => !isHeard);
    return [...waited, ...unheard].find(({ rejection }) => rejection !== undefined)?.rejection;
  }

  #open(): readonly StepCall[] {
    return this.#calls.filter(({ isSettled }) => !isSettled);
  }

  /** Throws `DamagedRecordError`. */
  get #kept(): KeptSteps {
    const { engine, claim } = this.#held;
    return (this.#parsed ??= keptStepsOf(this.#attempt, claim.steps, engine.settings.maxStepBytes));
  }

  async #answer(name: string, run: Run): Promise<unknown> {
    this.#names.take(name, run);
    try {
      return await this.#once(name, run);
    } catch (error) {
      // It has not ended, or is not on record: the handler may call it again.
      this.#running.delete(name);
      this.#names.giveBack(name);
      throw error;
    }
  }

  async #once(name: string, run: Run): Promise<unknown> {
    const unwritten = this.#unwritten.get(name);
    if (unwritten !== undefined) return await this.#written(name, unwritten.value);
    if (this.#kept.has(name)) return this.#kept.resultOf(name);
    this.#checkLimits();
    this.#running.add(name);
    await this.#held.lease.whenKnown();
    if (!this.#held.isRunning)
      throw new LeaseLostError('the handler has ended: its attempt cannot start a step');
    this.#attempt.signal.throwIfAborted();
    const { engine, claim } = this.#held;
    const value = await resultOfStep(run(this.#attempt.childKey(name)));
    const ms = Math.round(claim.ageMs + engine.clock.monotonic() - claim.repliedMs);
    this.#running.delete(name);
    this.#kept.add(name, ms, value);
    this.#unwritten.set(name, { ms, value });
    return await this.#written(name, value);
  }

  /** What this attempt gets, once it is on record. */
  async #written(name: string, value: unknown): Promise<unknown> {
    await this.#write();
    return this.#kept.hasResult(name) ? this.#kept.resultOf(name) : value;
  }

  #checkLimits(): void {
    if (this.#held.engine.records.keep === undefined) {
      throw wrongStep(
        '',
        'needs the verb `keep` of the store: the store of this handleOnce does not have it',
      );
    }
    if (this.#kept.size + this.#running.size >= MAX_STEPS) {
      throw wrongStep('name', `a message has at most ${MAX_STEPS} steps: put many effects into one`);
    }
  }

  /** One write after the other, each with all steps that have ended: no reply decides which is the last. */
  #write(): Promise<void> {
    if (this.#waiting === undefined) {
      this.#waiting = this.#writing.then(() => {
        this.#waiting = undefined;
        return this.#writeAll();
      });
      this.#writing = this.#waiting.catch(() => undefined);
    }
    return this.#waiting;
  }

  async #writeAll(): Promise<void> {
    const written = [...this.#unwritten];
    try {
      await keepUntilAnswered(this.#held, this.#kept.text);
    } catch (error) {
      if (!(error instanceof StoreError) || !error.dataRefused) throw error;
      for (const [name, { ms }] of written) this.#kept.omit(name, ms, 'refused-by-store');
      await keepUntilAnswered(this.#held, this.#kept.text);
    }
    for (const [name] of written) this.#unwritten.delete(name);
  }
}
