import type { TransactionalStore } from '../transactional-store.ts';
import { check } from './check.ts';
import { claim } from './claim.ts';
import { extend } from './extend.ts';
import { lookup } from './lookup.ts';
import { settle } from './settle.ts';
import { settleLast } from './settle-last.ts';
import { beginWhole } from '../../postgres/begin-whole.ts';
import { type SqlClient, toDatabaseClient } from '../../postgres/sql-client.ts';
import { statementsOf } from './statements/index.ts';
import { isConflict, isRolledBack } from '../../postgres/transaction.ts';

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
    tellsRollback: client.tellsRollback === true || client.lastIn !== undefined,
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
    extend: async (requests, terms) =>
      requests.length === 0 ? [] : await extend(client, statements.extend, requests, terms),
  };
}
