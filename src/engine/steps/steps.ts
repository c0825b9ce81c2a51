import { LeaseLostError, StoreError } from '../../words/errors.ts';
import { later } from '../../lib/later.ts';
import type { Attempt } from '../../words/attempt.ts';
import type { HeldClaim } from '../held-claim.ts';
import { type KeptSteps, keptStepsOf } from '../../payload/kept-steps.ts';
import { keepUntilAnswered } from './keep-until-answered.ts';
import { StepNames, wrongStep } from './step-names.ts';

const MAX_STEPS = 1_000;

type Run = (childKey: string) => unknown;

/** What one attempt does step by step. */
export class Steps {
  readonly #held: HeldClaim;
  readonly #attempt: Attempt;
  #parsed: KeptSteps | undefined;
  readonly #names = new StepNames();
  readonly #calls: Promise<unknown>[] = [];
  readonly #running = new Set<Promise<unknown>>();
  /** Of this attempt, with their times. What the database refuses is omitted. */
  readonly #unwritten = new Map<string, number>();
  #writing: Promise<unknown> = Promise.resolve();
  #waiting: Promise<void> | undefined;

  constructor(held: HeldClaim, attempt: Attempt) {
    this.#held = held;
    this.#attempt = attempt;
  }

  /** Answers a step from the record, or runs it and puts its end on record. */
  step(name: string, run: Run): Promise<unknown> {
    const call = this.#answer(name, run);
    this.#calls.push(call);
    return call;
  }

  /**
   * Resolves when no step runs any more, or the lease is lost: with the error of a step that the handler did not wait
   * for, where one has failed. No other starts.
   */
  async end(): Promise<PromiseRejectedResult | undefined> {
    // A rejection that is not handled ends the process.
    for (const call of this.#calls) call.catch(() => undefined);
    if (this.#running.size === 0) return undefined;
    this.#held.abort(new DOMException('the handler has ended, and did not wait for its step', 'AbortError'));
    const lost = later<undefined>();
    const { lease } = this.#held;
    const look = (): void => {
      if (!lease.isKept()) lost.resolve(undefined);
    };
    this.#held.onOverdue(look);
    look();
    const ends = await Promise.race([Promise.allSettled(this.#running), lost.promise]);
    return ends?.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
  }

  /** Throws `DamagedRecordError`. */
  get #kept(): KeptSteps {
    const { engine, claim } = this.#held;
    return (this.#parsed ??= keptStepsOf(this.#attempt, claim.steps, engine.settings.maxStepBytes));
  }

  async #answer(name: string, run: Run): Promise<unknown> {
    this.#names.take(name, run, this.#unwritten.has(name));
    if (this.#kept.has(name)) {
      // It has run in this attempt, and its write has failed.
      if (this.#unwritten.has(name)) await this.#write();
      return this.#kept.resultOf(name);
    }
    this.#checkLimits();
    await this.#held.lease.whenKnown();
    if (!this.#held.isRunning)
      throw new LeaseLostError('the handler has ended: its attempt starts no step any more');
    this.#attempt.signal.throwIfAborted();
    const running = this.#run(name, run);
    this.#running.add(running);
    try {
      return await running;
    } catch (error) {
      // It has not ended: the handler may try it again.
      this.#names.giveBack(name);
      throw error;
    } finally {
      this.#running.delete(running);
    }
  }

  #checkLimits(): void {
    if (this.#held.engine.records.keep === undefined) {
      throw wrongStep('', 'needs the verb `keep` of the store: the store of this handleOnce has none');
    }
    if (this.#kept.size + this.#running.size >= MAX_STEPS) {
      throw wrongStep('name', `a message has at most ${MAX_STEPS} steps: put many effects into one`);
    }
  }

  async #run(name: string, run: Run): Promise<unknown> {
    const { engine, claim } = this.#held;
    const value = await run(this.#attempt.childKey(name));
    const ms = Math.round(claim.ageMs + engine.clock.monotonic() - claim.sentAt.monotonicMs);
    this.#kept.add(name, ms, value);
    this.#unwritten.set(name, ms);
    await this.#write();
    return this.#kept.hasResult(name) ? this.#kept.resultOf(name) : value;
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
      for (const [name, ms] of written) this.#kept.omit(name, ms, 'refused-by-store');
      await keepUntilAnswered(this.#held, this.#kept.text);
    }
    for (const [name] of written) this.#unwritten.delete(name);
  }
}
