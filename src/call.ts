import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod';
import type { Attempt, Handler } from './attempt.ts';
import type { CallOptions } from './calls.ts';
import { answerFromRecord } from './engine/answer.ts';
import { type Engine, monotonicNow } from './engine/engine.ts';
import { HeldClaim } from './engine/held-claim.ts';
import { aborted, claimPatiently } from './engine/wait-for-owner.ts';
import {
  type FingerprintOptions,
  fingerprintFields,
  fingerprintOf,
  isGiven,
  isOneFingerprint,
  TWO_FINGERPRINTS,
} from './fingerprint-options.ts';
import { handlerOption } from './handler-option.ts';
import { checkKey } from './key.ts';
import type { Outcome } from './outcome.ts';
import { callback, parseOptions, standardSchema, wholeNumber } from './parse-options.ts';
import { validatePayload } from './validate-payload.ts';

/** How the work of a claim is run, and its record settled. */
export type RunClaim<Extra extends readonly unknown[]> = <R>(
  held: HeldClaim,
  work: (attempt: Attempt, ...extra: Extra) => Promise<R>,
) => Promise<Outcome<R>>;

/** A call of `handleOnce`, whose arguments may be anything. */
export type AnyCall<Extra extends readonly unknown[]> = <Result>(
  key: string,
  payload: unknown,
  fn: Handler<unknown, Result, Extra>,
  options?: ResolvedCall,
) => Promise<Outcome<Result>>;

export interface ResolvedCall extends CallOptions<never> {
  readonly parse?: ((payload: never) => unknown) | undefined;
  readonly schema?: StandardSchemaV1 | undefined;
}

const callOptionsSchema = z
  .strictObject(
    {
      signal: z.instanceof(AbortSignal, { error: 'must be an AbortSignal' }).optional(),
      timeoutMs: wholeNumber('milliseconds', 1, 43_200_000).optional(),
      waitMs: wholeNumber('milliseconds', 0, 43_200_000).optional(),
      parse: callback<(payload: never) => unknown>('a function of the payload').optional(),
      schema: standardSchema().optional(),
      ...fingerprintFields<never>(),
    },
    { error: 'the options must be an object' },
  )
  .refine(isOneFingerprint, TWO_FINGERPRINTS);

const handlerSchema = z.object({ handler: handlerOption('payload, attempt') });

/** Checks a call, claims its key, and runs what is ours, which takes at most `longestMs` unless it is told otherwise. */
export function createCall<Extra extends readonly unknown[]>(
  engine: Engine,
  run: RunClaim<Extra>,
  longestMs?: number,
): AnyCall<Extra> {
  const { events, settings } = engine;
  const ofInstance = fingerprintOf(settings);
  const hashOf = (payload: unknown, options: FingerprintOptions<never>): string =>
    (isGiven(options) ? fingerprintOf(options) : ofInstance)(payload);
  return async <Result>(
    key: string,
    payload: unknown,
    fn: Handler<unknown, Result, Extra>,
    callOptions?: ResolvedCall,
  ): Promise<Outcome<Result>> => {
    const startedAt = monotonicNow();
    checkKey('key', key);
    const options = parseCall(fn, callOptions);
    const { signal, timeoutMs, waitMs = 0, parse, schema } = options;
    const hash = hashOf(payload, options);
    if (signal?.aborted === true) throw aborted(engine, key, startedAt, signal);
    const claimed = await claimPatiently(engine, key, hash, { waitMs, signal, startedAt });
    const { reply, token, sentAt } = claimed;
    if (reply.kind !== 'claimed') return answerFromRecord<Result>(engine, key, reply, startedAt);
    const { attempts, failures } = reply;
    const type = reply.tookOver ? 'taken-over' : 'claimed';
    events.emit({ type, scope: settings.scope, key, attempts });
    const limits = { signal, timeoutMs: timeoutMs ?? settings.timeoutMs ?? longestMs };
    const claim = { key, token, attempts, failures, sentAt, startedAt };
    const held = new HeldClaim(engine, claim, limits);
    try {
      return await run(held, async (attempt, ...extra) =>
        fn(await validatePayload(payload, parse, schema ?? settings.schema), attempt, ...extra),
      );
    } finally {
      held.end();
      claimed.leavePlace?.();
    }
  };
}

const NO_OPTIONS: ResolvedCall = {};

function parseCall(fn: unknown, options: ResolvedCall | undefined): ResolvedCall {
  if (typeof fn !== 'function') parseOptions('handleOnce', handlerSchema, { handler: fn });
  return options === undefined ? NO_OPTIONS : parseOptions('handleOnce', callOptionsSchema, options);
}
