import type { TransactionalStore } from '../transactional-store.ts';
import { check, checkStatement } from './check.ts';
import { claim } from './claim.ts';
import { claimAnyStatement } from './claim-any.ts';
import { claimNewStatement } from './claim-new.ts';
import { extend, extendStatement } from './extend.ts';
import { heldStatement } from './held-record.ts';
import { quoteIdentifier } from './identifier.ts';
import { alreadySettledStatement, settle, settleStatement } from './settle.ts';
import { settleIn, settleInStatement } from './settle-in.ts';
import { type SqlClient, toDatabaseClient } from './sql-client.ts';
import { isConflict, isRolledBack, savepoint } from './transaction.ts';

/** The store over a client and the tables that `migrate` made in `schema`. */
export function createPostgresStore<Tx>(sql: SqlClient<Tx>, schema: string): TransactionalStore<Tx> {
  const client = toDatabaseClient(sql);
  const table = `${quoteIdentifier(schema)}.records`;
  const statements = {
    claimNew: claimNewStatement(table),
    claimAny: claimAnyStatement(table),
    held: heldStatement(table),
    settle: settleStatement(table),
    settleIn: settleInStatement(table),
    alreadySettled: alreadySettledStatement(table),
    extend: extendStatement(table),
  };
  return {
    claim: async (requests, terms) =>
      requests.length === 0 ? [] : await claim(client, statements, requests, terms),
    tellsRollback: client.tellsRollback === true,
    begin: (work, onBroken) => client.begin(work, onBroken),
    accept(transaction) {
      client.in(transaction);
    },
    savepoint: (transaction, work) => savepoint(client.in(transaction), work),
    settleIn: (transaction, request, scope, workMs) =>
      settleIn(client.in(transaction), statements.settleIn, request, scope, workMs),
    isRolledBack,
    isConflict,
    settle: async (requests, scope) =>
      requests.length === 0 ? [] : await settle(client, statements, requests, scope),
    check: () => check(client, checkStatement(schema), schema),
    extend: async (requests, terms) =>
      requests.length === 0 ? [] : await extend(client, statements.extend, requests, terms),
  };
}
