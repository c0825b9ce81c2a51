import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Attempt, Handler } from '../words/attempt.ts';
import { createTimedChannel } from '../lib/timed-channel.ts';
import { validatePayload } from '../payload/validate-payload.ts';
import { NotStartedError } from '../words/not-started-error.ts';
import type { HeldClaim } from './held-claim.ts';

/** What is run for the owner of a claim. */
export interface HandlerRequest<Result, Extra extends readonly unknown[]> {
  /** As delivered. */
  readonly payload?: unknown;
  /** Turns the payload into what the schema, or else the handler, gets. */
  readonly parse?: ((payload: never) => unknown) | undefined;
  readonly schema?: StandardSchemaV1 | undefined;
  readonly handler: Handler<unknown, Extra, Result>;
}

/** What an attempt runs. */
export type Work<Result, Extra extends readonly unknown[]> = (
  attempt: Attempt,
  ...extra: Extra
) => Promise<Result>;

const handlers = createTimedChannel('handle-once:handler', (scope: string, durationMs, failed) => ({
  scope,
  durationMs,
  failed,
}));

/** The handler with its payload, parsed and validated; timed where a subscriber wants to know. */
export function handlerWork<Result, Extra extends readonly unknown[]>(
  held: HeldClaim,
  { payload, parse, schema, handler }: HandlerRequest<Result, Extra>,
): Work<Result, Extra> {
  const { clock, settings } = held.engine;
  const { scope } = settings;
  return async function work(attempt, ...extra) {
    const ended = handlers.start(clock);
    try {
      const valid = await validatePayload(payload, parse, schema);
      const known = held.lease.whenKnown();
      if (known !== undefined) await known;
      // In the turn in which the handler starts: of many that are claimed together, one can block all others.
      if (held.lease.isLost()) throw new NotStartedError('its lease was over before its handler could start');
      held.isRunning = true;
      const result = await handler(valid, attempt, ...extra);
      ended?.(scope, false);
      return result;
    } catch (error) {
      ended?.(scope, true);
      throw error;
    } finally {
      held.isRunning = false;
    }
  };
}
