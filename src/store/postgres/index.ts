import type { TransactionalStore } from '../transactional-store.ts';
import { claim } from './claim.ts';
import { claimAnyStatement } from './claim-any.ts';
import { claimNewStatement } from './claim-new.ts';
import type { PostgresClient, PostgresQueries } from './client.ts';
import { extend, extendStatement } from './extend.ts';
import { quoteIdentifier } from './identifier.ts';
import { alreadySettledStatement, settle, settleIn, settleStatement } from './settle.ts';
import { begin, isRolledBack, savepoint } from './transaction.ts';

/** The store over a `postgres` client and the tables that `migrate` made in `schema`. */
export function createPostgresStore<Tx extends PostgresQueries>(
  sql: PostgresClient<Tx>,
  schema: string,
): TransactionalStore<Tx> {
  const table = `${quoteIdentifier(schema)}.records`;
  const statements = {
    claimNew: claimNewStatement(table, 'durable'),
    claimAny: claimAnyStatement(table, 'durable'),
    settle: settleStatement(table),
    alreadySettled: alreadySettledStatement(table),
    extend: extendStatement(table),
  };
  const hasty = {
    claimNew: claimNewStatement(table, 'hasty'),
    claimAny: claimAnyStatement(table, 'hasty'),
  };
  return {
    claim: async (requests, terms) =>
      requests.length === 0 ? [] : await claim(sql, statements, requests, terms),
    claimHastily: async (requests, terms) =>
      requests.length === 0 ? [] : await claim(sql, hasty, requests, terms),
    begin: (work) => begin(sql, work),
    savepoint,
    settleIn: (transaction, request, scope) => settleIn(transaction, statements.settle, request, scope),
    isRolledBack,
    settle: async (requests, scope) =>
      requests.length === 0 ? [] : await settle(sql, statements, requests, scope),
    extend: async (requests, terms) =>
      requests.length === 0 ? [] : await extend(sql, statements.extend, requests, terms),
  };
}
