import type { SettleReply, SettleRequest } from '../store.ts';
import { batchOf, type Cell } from '../../postgres/batch.ts';
import type { DatabaseClient, DatabaseQueries } from '../../postgres/database-client.ts';
import { inLockOrder, unlessLocked } from './locked-record.ts';
import { run } from '../../postgres/run-statement.ts';
import type { Statements } from './statements/index.ts';
import type { BySize } from '../../postgres/request-rows.ts';
import type { SettledIn } from '../transactional-store.ts';
import { sqlState } from '../../postgres/error-layers.ts';
import { toStoreError } from '../../postgres/failure.ts';

/** What an attempt counts as. Those below 0 leave no attempt. */
const COUNTS = { failure: 1, success: 0, interruption: -1, deferral: -2 };

/** The cells of a request, in the order of the statement's columns. */
function toCells({ key, token, settlement }: SettleRequest): Cell[] {
  switch (settlement.kind) {
    case 'succeed': {
      const { result, resultOmitted, retentionMs } = settlement;
      return [key, token, 'succeeded', retentionMs, COUNTS.success, null, result, resultOmitted, null];
    }
    case 'fail': {
      const { reason, error, retentionMs } = settlement;
      return [key, token, 'failed', retentionMs, COUNTS.failure, reason, null, null, error];
    }
    case 'release': {
      const { error, retryAfterMs, countsAs } = settlement;
      return [key, token, 'pending', retryAfterMs, COUNTS[countsAs], null, null, null, error];
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
    const rows = await run(client, update[size], [scope, ...parameters]);
    const settled = new Set(rows.map(([key]) => key));
    const unchanged = some.filter(({ key }) => !settled.has(key));
    const before = await statesBefore(client, settledBefore, unchanged, scope);
    return some.map((request) => (settled.has(request.key) ? 'settled' : replyOf(request, before)));
  });
}

async function statesBefore(
  client: DatabaseClient,
  statement: BySize,
  requests: readonly SettleRequest[],
  scope: string,
): Promise<ReadonlyMap<string, string>> {
  if (requests.length === 0) return new Map();
  const { size, parameters } = batchOf(requests.map(({ key, token }) => [key, token]));
  const rows = await run(client, statement[size], [scope, ...parameters]);
  return new Map(rows.map(([key, state]) => [key ?? '', state ?? '']));
}

function replyOf({ key, settlement }: SettleRequest, before: ReadonlyMap<string, string>): SettleReply {
  const state = before.get(key);
  if (state === undefined) return 'lost';
  return state === 'failed' && settlement.kind === 'release' ? 'failed' : 'settled';
}

/** The errors of a statement that settles nothing: a division by zero, and the root of -1. */
const UNSETTLED: Readonly<Record<string, SettledIn>> = {
  '22012': 'lost',
  '2201F': 'no-transaction',
};

/** Settles records as the last statement of a transaction: all of them are on record when that commits. */
export async function settleLast(
  transaction: Pick<DatabaseQueries, 'query'>,
  statements: BySize,
  requests: readonly SettleRequest[],
  scope: string,
  workMs: number,
): Promise<SettledIn> {
  const { size, parameters } = batchOf(inLockOrder(requests).map(toCells));
  const statement = statements[size];
  try {
    await transaction.query(statement, [scope, ...parameters, String(workMs)]);
    return 'settled';
  } catch (error) {
    const reply = UNSETTLED[sqlState(error) ?? ''];
    if (reply === undefined) throw toStoreError(error, statement);
    return reply;
  }
}
