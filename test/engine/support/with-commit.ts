import type { TransactionSql } from 'postgres';

/** A transaction in which another thing is done than our COMMIT. */
export function withCommit(tx: TransactionSql, commit: () => Promise<unknown>): TransactionSql {
  const unsafe = (...statement: Parameters<TransactionSql['unsafe']>) =>
    statement[0].endsWith('commit and chain') ? { raw: commit } : tx.unsafe(...statement);
  return new Proxy(tx, {
    get: (target, name): unknown => (name === 'unsafe' ? unsafe : Reflect.get(target, name)),
  });
}
