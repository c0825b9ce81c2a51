import type { Attempt } from './attempt.ts';
import type { MissingOption } from './missing-option.ts';
import type { JsonForm } from './json-form.ts';

/** The attempt of a handler of one message: with steps, unless it gets a transaction. */
export type AttemptFor<Extra extends readonly unknown[], Of extends Attempt = Attempt> = [Extra] extends [
  readonly [] | readonly [MissingOption<string>],
]
  ? StepAttempt<Of>
  : Of;

/**
 * An attempt that can keep its finished steps. Not available in a transaction, which undoes its parts together, or in a
 * batch.
 */
export type StepAttempt<Of extends Attempt = Attempt> = Of & Steps;

interface Steps {
  /**
   * Runs a part of the handler that no later attempt at this message must repeat.
   *
   * If an earlier attempt has ended a step of this name, its result is returned, in its JSON form, and the step does
   * not run. Otherwise `run` gets `childKey(name)`, and its result is on record before this resolves: the same JSON
   * form. What it throws is thrown to the handler, and nothing is kept. Steps may run in parallel.
   *
   * A result that JSON cannot keep, or that takes all steps of the message above `maxStepBytes`, is returned unchanged,
   * and is not on record: a later attempt that asks for it throws a `TerminalError`, and does not run it again. Throws
   * `LeaseLostError` if the lease is over, the reason of the signal if that has aborted, `InvalidKeyError` for a wrong
   * name, `InvalidOptionsError` for a name that this attempt has used, `DamagedRecordError` and `StoreError`.
   */
  readonly step: <Result>(
    name: string,
    run: (childKey: string) => Result | PromiseLike<Result>,
  ) => Promise<JsonForm<Awaited<Result>>>;
}
