import { retryFields } from '../options/retries.ts';
import * as z from 'zod/mini';
import type { AnyHandleOnce } from '../api/handle-once.ts';
import { HANDLES } from '../engine/hidden-handles.ts';
import { checkFingerprints } from '../options/fingerprint-options.ts';
import { eventHook, flag, standardSchema } from '../options/parse-options.ts';
import { loggerOption } from '../reporting/logger.ts';

/** A wrong one ends the check: rules of the whole read its settings. */
function handleOnceOption(): z.ZodMiniType<AnyHandleOnce, AnyHandleOnce> {
  return z.custom<AnyHandleOnce>((value) => typeof value === 'function' && HANDLES in value, {
    error: 'must be made by createHandleOnce',
  });
}

/** The options that all consumers have. */
export function consumerFields<Event>() {
  return {
    handleOnce: handleOnceOption(),
    ...retryFields(),
    inTransaction: z._default(flag(), false),
    schema: z.optional(standardSchema()),
    onEvent: eventHook<Event>(),
    logger: loggerOption(),
  };
}

/** Refuses options of an adapter that are right alone and wrong together. */
export function checkConsumerOptions(
  options: {
    readonly handleOnce: AnyHandleOnce;
    readonly inTransaction?: boolean;
    readonly fingerprint?: unknown;
    readonly ignoredFields?: unknown;
  },
  context: z.core.$RefinementCtx,
): void {
  checkFingerprints(options, context);
  if (options.inTransaction !== true || options.handleOnce.settings.hasTransactions) return;
  const message = 'needs a handleOnce made with sql: your own store has no transactions';
  context.addIssue({ code: 'custom', path: ['inTransaction'], message });
}
