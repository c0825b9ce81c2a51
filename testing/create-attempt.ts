import * as z from 'zod/mini';
import { StepNames } from '../src/engine/steps/step-names.ts';
import { resultOfStep } from '../src/engine/steps/step-result.ts';
import { KeptSteps } from '../src/payload/kept-steps.ts';
import type { StepAttempt } from '../src/words/steps.ts';
import { childKeysOf } from '../src/options/key.ts';
import { lazily } from '../src/lib/lazily.ts';
import { recordFields } from '../adapters/operations/tables.ts';
import { abortSignal, NOT_AN_OBJECT, parseOptions, wholeNumber } from '../src/options/parse-options.ts';

/** Options of `createAttempt`. */
export interface CreateAttemptOptions {
  /** The key of the message. Default `'test-message'`. */
  readonly key?: string | undefined;
  /** The scope of the record, with what adapters add. Default `'test'`. */
  readonly scope?: string | undefined;
  /** Which attempt it is, 1 to 2,147,483,647. Default 1. */
  readonly number?: number | undefined;
  /** Milliseconds since the first claim, 0 or more. Default 0. */
  readonly ageMs?: number | undefined;
  /** Default: one that never aborts. */
  readonly signal?: AbortSignal | undefined;
  /** The steps that earlier attempts have ended, with their results by name. Default: none. */
  readonly steps?: Readonly<Record<string, unknown>> | undefined;
}

const attemptOptions = lazily(() => {
  const { key, scope } = recordFields();
  return z.strictObject(
    {
      key: z._default(key, 'test-message'),
      scope: z._default(scope, 'test'),
      number: z._default(wholeNumber('attempts', 1, 2_147_483_647), 1),
      ageMs: z._default(wholeNumber('milliseconds', 0, Number.MAX_SAFE_INTEGER), 0),
      signal: z.optional(abortSignal()),
      steps: z._default(
        z.record(z.string(), z.unknown(), { error: 'must be an object of results by name' }),
        {},
      ),
    },
    NOT_AN_OBJECT,
  );
});

/**
 * An attempt, to call your own handler with in a unit test. Nothing is recorded, and no lease runs.
 *
 * Its child keys are those that `handleOnce` makes of the same scope, key and name. Throws `InvalidOptionsError`.
 *
 * @example
 * ```ts
 * const aborter = new AbortController();
 * const attempt = createAttempt({ key: 'order-7', number: 2, signal: aborter.signal });
 * const order = { orderId: 'order-7', cents: 995 };
 * await charge(order, { signal: attempt.signal, idempotencyKey: attempt.childKey('charge') });
 * ```
 */
export function createAttempt(options: CreateAttemptOptions = {}): StepAttempt {
  const { signal, steps, ...given } = parseOptions('createAttempt', attemptOptions(), options);
  const childKey = childKeysOf(given.scope, given.key);
  const names = new StepNames();
  const kept = new KeptSteps(undefined);
  for (const [name, result] of Object.entries(steps)) kept.add(name, 0, result);

  async function step(name: string, run: (key: string) => unknown): Promise<unknown> {
    names.take(name, run);
    if (kept.has(name)) return kept.resultOf(name);
    try {
      signal?.throwIfAborted();
      const value = await resultOfStep(run(childKey(name)));
      kept.add(name, 0, value);
      return kept.hasResult(name) ? kept.resultOf(name) : value;
    } catch (error) {
      names.giveBack(name);
      throw error;
    }
  }

  return {
    ...given,
    signal: signal ?? new AbortController().signal,
    childKey,
    step: step as StepAttempt['step'],
  };
}
