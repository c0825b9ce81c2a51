import { quoteIdentifier } from '../../../postgres/identifier.ts';
import { bySize, onOneLine } from '../../../postgres/request-rows.ts';
import { checkStatement } from './check.ts';
import { claimAnyStatement } from './claim-any.ts';
import { claimNewStatement } from './claim-new.ts';
import { extendStatement } from './extend.ts';
import { keepStatement } from './keep.ts';
import { LOCK_WAIT_MS, lockedStatement } from './locked.ts';
import { lookupStatement } from './lookup.ts';
import { settleStatement } from './settle.ts';
import { settleLastStatement } from './settle-last.ts';
import { settledBeforeStatement } from './settled-before.ts';

export type Statements = ReturnType<typeof statementsOf>;

/** Every statement, as it is sent for the tables of a schema. A `.sql` file has each with line breaks. */
export function statementsOf(schema: string, lockWaitMs = LOCK_WAIT_MS) {
  const table = `${quoteIdentifier(schema)}.records`;
  return {
    claimNew: bySize((size) => claimNewStatement(table, size)),
    claimAny: bySize((size) => claimAnyStatement(table, size, lockWaitMs)),
    locked: onOneLine(lockedStatement(table)),
    lookup: onOneLine(lookupStatement(table)),
    extend: bySize((size) => extendStatement(table, size, lockWaitMs)),
    keep: bySize((size) => keepStatement(table, size, lockWaitMs)),
    settle: bySize((size) => settleStatement(table, size, lockWaitMs)),
    settledBefore: bySize((size) => settledBeforeStatement(table, size)),
    settleLast: bySize((size) => settleLastStatement(table, size)),
    check: onOneLine(checkStatement(schema)),
  };
}
