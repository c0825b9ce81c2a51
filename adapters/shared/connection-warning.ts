import type { Warning } from './warn.ts';

interface ConnectionSettings {
  /** Of the handlers. */
  readonly scope?: string;
  /** Of the pool. Undefined where not known. */
  readonly maxConnections: number | undefined;
  readonly concurrency: number;
  /** Whether handlers run in transactions: only then do they hold connections. */
  readonly inTransaction: boolean;
}

/** One for claims and settles, one for heartbeats. */
const MORE_THAN_HANDLERS = 2;

/** Handlers in transactions that can hold every connection of the pool. */
export function connectionWarning({
  scope,
  maxConnections,
  concurrency,
  inTransaction,
}: ConnectionSettings): Warning<'POOL_TOO_SMALL'> | undefined {
  if (!inTransaction || maxConnections === undefined || maxConnections > concurrency) return undefined;
  return {
    warning: 'POOL_TOO_SMALL',
    ...(scope === undefined ? {} : { scope }),
    message:
      `the pool of ${maxConnections} connections is not larger than concurrency ${concurrency}: handlers in ` +
      'transactions can hold all of them, and heartbeats then wait until a lease is lost. Make the pool at least ' +
      `${concurrency + MORE_THAN_HANDLERS}, or lower concurrency`,
  };
}
