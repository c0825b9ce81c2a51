import type { Store } from '../store.ts';
import { claim } from './claim.ts';
import { claimAnyStatement } from './claim-any.ts';
import { claimNewStatement } from './claim-new.ts';
import type { PostgresClient } from './client.ts';
import { extend, extendStatement } from './extend.ts';
import { quoteIdentifier } from './identifier.ts';
import { alreadySettledStatement, settle, settleStatement } from './settle.ts';

/** The store over a `postgres` client and the tables that `migrate` made in `schema`. */
export function createPostgresStore(sql: PostgresClient, schema: string): Store {
  const table = `${quoteIdentifier(schema)}.records`;
  const statements = {
    claimNew: claimNewStatement(table),
    claimAny: claimAnyStatement(table),
    settle: settleStatement(table),
    alreadySettled: alreadySettledStatement(table),
    extend: extendStatement(table),
  };
  return {
    claim: async (requests, terms) =>
      requests.length === 0 ? [] : await claim(sql, statements, requests, terms),
    settle: async (requests, scope) =>
      requests.length === 0 ? [] : await settle(sql, statements, requests, scope),
    extend: async (requests, terms) =>
      requests.length === 0 ? [] : await extend(sql, statements.extend, requests, terms),
  };
}
