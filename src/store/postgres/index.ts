import type { Store } from '../store.ts';
import { claim, claimStatement } from './claim.ts';
import type { PostgresClient } from './client.ts';
import { extend, extendStatement } from './extend.ts';
import { quoteIdentifier } from './identifier.ts';
import { alreadySettledStatement, settle, settleStatement } from './settle.ts';

/** The store over a `postgres` client and the tables that `migrate` made in `schema`. */
export function createPostgresStore(sql: PostgresClient, schema: string): Store {
  const table = `${quoteIdentifier(schema)}.records`;
  const statements = {
    claim: claimStatement(table),
    settle: settleStatement(table),
    alreadySettled: alreadySettledStatement(table),
    extend: extendStatement(table),
  };
  return {
    claim: (requests, terms) => claim(sql, statements.claim, requests, terms),
    settle: (requests, scope) => settle(sql, statements, requests, scope),
    extend: (requests, terms) => extend(sql, statements.extend, requests, terms),
  };
}
