import * as z from 'zod/mini';
import type { AnyHandleOnce } from '../api/handle-once.ts';
import { HANDLES } from '../engine/hidden-handles.ts';
import { checkFingerprints } from '../options/fingerprint-options.ts';
import { eventHook, flag, standardSchema } from '../options/parse-options.ts';
import { retryFields } from '../options/retries.ts';
import { loggerOption } from '../reporting/logger.ts';

/** The option `handleOnce`. A wrong one ends the check: rules of the whole read its settings. */
export function handleOnceOption(): z.ZodMiniType<AnyHandleOnce, AnyHandleOnce> {
  return z.custom<AnyHandleOnce>((value) => typeof value === 'function' && HANDLES in value, {
    error: 'must be made by createHandleOnce',
  });
}

/** The option `inTransaction` of adapters. */
export function inTransactionOption(): z.ZodMiniDefault<z.ZodMiniBoolean> {
  return z._default(flag(), false);
}

/** The options that all consumers of messages have. */
export function consumerFields() {
  return {
    handleOnce: handleOnceOption(),
    ...retryFields(),
    inTransaction: inTransactionOption(),
    schema: z.optional(standardSchema()),
  };
}

/** The options `onEvent` and `logger`. */
export function eventFields<Event>() {
  return { onEvent: eventHook<Event>(), logger: loggerOption() };
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
  const message = 'needs a handleOnce made with sql: a store of your own has no transactions';
  context.addIssue({ code: 'custom', path: ['inTransaction'], message });
}
