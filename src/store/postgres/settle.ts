import type { SettleReply, SettleRequest } from '../store.ts';
import { batchOf, type Cell } from './batch.ts';
import type { DatabaseClient, DatabaseRow } from './database-client.ts';
import { unlessLocked } from './locked-record.ts';
import { inLockOrder } from './lock-order.ts';
import { run } from './run-statement.ts';
import type { Statements } from './statements/index.ts';

/** What an attempt counts as: it is taken back, it is no failure, or it is one. */
const UNCOUNTED = -1;
const NO_FAILURE = 0;
const FAILURE = 1;

/** The cells of a request, in the order of the statement's columns. */
export function toCells({ key, token, settlement }: SettleRequest): Cell[] {
  switch (settlement.kind) {
    case 'succeed': {
      const { result, resultOmitted, retentionMs } = settlement;
      return [key, token, 'succeeded', retentionMs, NO_FAILURE, null, result, resultOmitted, null];
    }
    case 'fail': {
      const { reason, error, retentionMs } = settlement;
      return [key, token, 'failed', retentionMs, FAILURE, reason, null, null, error];
    }
    case 'release': {
      const { error, retryAfterMs, uncounted } = settlement;
      const counts = uncounted ? UNCOUNTED : FAILURE;
      return [key, token, 'pending', retryAfterMs, counts, null, null, null, error];
    }
  }
}

type SettleStatements = Pick<Statements, 'settle' | 'settledBefore'>;

export function settle(
  client: DatabaseClient,
  { settle: update, settledBefore }: SettleStatements,
  requests: readonly SettleRequest[],
  scope: string,
): Promise<SettleReply[]> {
  return unlessLocked(requests, async (some): Promise<SettleReply[]> => {
    const { size, parameters } = batchOf(inLockOrder(some).map(toCells));
    const settled = keysOf(await run(client, update[size], [scope, ...parameters]));
    const unchanged = some.filter(({ key }) => !settled.has(key));
    if (unchanged.length > 0) {
      const look = batchOf(unchanged.map(({ key, token }) => [key, token]));
      const rows = await run(client, settledBefore[look.size], [scope, ...look.parameters]);
      for (const key of keysOf(rows)) settled.add(key);
    }
    return some.map(({ key }) => (settled.has(key) ? 'settled' : 'lost'));
  });
}

function keysOf(rows: readonly DatabaseRow[]): Set<string | null | undefined> {
  return new Set(rows.map(([key]) => key));
}
