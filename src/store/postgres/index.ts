import type { TransactionalStore } from '../transactional-store.ts';
import { claim } from './claim.ts';
import { settle, settleLast } from './settle.ts';
import { beginWhole } from '../../postgres/begin-whole.ts';
import { type SqlClient, toDatabaseClient } from '../../postgres/sql-client.ts';
import { statementsOf } from './statements/index.ts';
import { isConflict, isRolledBack } from '../../postgres/transaction.ts';
import { requireUsable } from '../../migrations/version.ts';
import type { DatabaseClient } from '../../postgres/database-client.ts';
import { noRightsError, readOnlyError } from '../../postgres/failure.ts';
import { requirePolicies } from '../../postgres/row-security.ts';
import { run } from '../../postgres/run-statement.ts';
import { requireShape } from '../../postgres/shape.ts';
import { CHECKED_SETTING } from './statements/check.ts';
import type { ExtendRequest, KeepRequest, LookupReply } from '../store.ts';
import { toReply } from './claim-reply.ts';
import { batchOf } from '../../postgres/batch.ts';
import { inLockOrder, unlessLocked } from './locked-record.ts';
import type { BySize } from '../../postgres/request-rows.ts';

/**
 * The store over a client and the tables that `migrate` made in `schema`. Statements wait for a locked record for
 * `lockWaitMs`, 250 by default.
 */
export function createPostgresStore<Tx>(
  sql: SqlClient<Tx>,
  schema: string,
  lockWaitMs?: number,
): TransactionalStore<Tx> {
  const client = toDatabaseClient(sql);
  const statements = statementsOf(schema, lockWaitMs);
  return {
    claim: async (requests, terms) =>
      requests.length === 0 ? [] : await claim(client, statements, requests, terms),
    tellsRollback: client.tellsRollback === true || client.sendsCommit === true,
    begin: (work, onBroken) => beginWhole(client, work, onBroken),
    settleLast: (transaction, ...settle) => {
      const last = client.lastIn?.(transaction) ?? client.in(transaction);
      return settleLast(last, statements.settleLast, ...settle);
    },
    isRolledBack,
    isConflict,
    settle: async (requests, scope) =>
      requests.length === 0 ? [] : await settle(client, statements, requests, scope),
    lookup: (key, scope) => lookup(client, statements.lookup, key, scope),
    check: () => check(client, statements.check, schema),
    extend: async (requests, { scope, leaseMs }) => {
      const heartbeat = { scope, cells: () => [], more: [String(leaseMs)] };
      return requests.length === 0
        ? []
        : await ifOwned(client, statements.extend, requests, heartbeat, 'extended');
    },
    keep: async (requests, scope) => {
      const kept = { scope, cells: ({ steps }: KeepRequest) => [steps] };
      return requests.length === 0 ? [] : await ifOwned(client, statements.keep, requests, kept, 'kept');
    },
  };
}

async function lookup(
  client: DatabaseClient,
  statement: string,
  key: string,
  scope: string,
): Promise<LookupReply | undefined> {
  const [row] = await run(client, statement, [scope, key]);
  return row === undefined ? undefined : (toReply(row) as LookupReply);
}

/** Writes to the records that the tokens of their requests own. `done`: the reply to those. */
function ifOwned<Request extends ExtendRequest, Done extends string>(
  client: DatabaseClient,
  statement: BySize,
  requests: readonly Request[],
  { scope, cells, more = [] }: { scope: string; cells: (request: Request) => string[]; more?: string[] },
  done: Done,
): Promise<(Done | 'lost' | 'locked')[]> {
  return unlessLocked(requests, async (some): Promise<(Done | 'lost')[]> => {
    const { size, parameters } = batchOf(
      inLockOrder(some).map((request) => [request.key, request.token, ...cells(request)]),
    );
    const rows = await run(client, statement[size], [scope, ...parameters, ...more]);
    const written = new Set(rows.map(([key]) => key));
    return some.map(({ key }) => (written.has(key) ? done : 'lost'));
  });
}

/**
 * Throws `SchemaError` for tables that are missing, older, or newer by more than one version, that lack what the
 * statements need, that row level security hides, or that the role may not write; and `StoreError`, also where nothing
 * can be written.
 */
async function check(client: DatabaseClient, statement: string, schema: string): Promise<void> {
  const [row] = await run(client, statement, [CHECKED_SETTING]);
  requireUsable(Number(row?.[0] ?? 0), schema);
  if (row?.[1] === 'on') throw readOnlyError();
  const lacked = row?.[2] ?? '';
  if (lacked !== '') throw noRightsError(schema, lacked);
  await requireShape(client, schema, ['records']);
  await requirePolicies(client, schema, 'handle');
}
