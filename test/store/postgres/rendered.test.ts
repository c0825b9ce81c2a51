import { expect, test } from 'vitest';
import { pageStatements } from '../../../adapters/dashboard/statements/pages.ts';
import { checkStatement } from '../../../src/store/postgres/statements/check.ts';
import { claimAnyStatement } from '../../../src/store/postgres/statements/claim-any.ts';
import { claimNewStatement } from '../../../src/store/postgres/statements/claim-new.ts';
import { extendStatement } from '../../../src/store/postgres/statements/extend.ts';
import { historyStatements } from '../../../adapters/operations/statements/history.ts';
import { inspectStatements } from '../../../adapters/operations/statements/inspect.ts';
import { keepStatement } from '../../../src/store/postgres/statements/keep.ts';
import { leavesStatement } from '../../../src/postgres/statements/leaves.ts';
import { LOCK_WAIT_MS, lockedStatement } from '../../../src/store/postgres/statements/locked.ts';
import { lookupStatement } from '../../../src/store/postgres/statements/lookup.ts';
import { maintenanceStatements } from '../../../adapters/operations/statements/maintenance.ts';
import { logStatements } from '../../../src/history/statements/logs.ts';
import { purgeStatement } from '../../../adapters/operations/statements/purge.ts';
import type { Size } from '../../../src/postgres/request-rows.ts';
import { settleStatement } from '../../../src/store/postgres/statements/settle.ts';
import { settleLastStatement } from '../../../src/store/postgres/statements/settle-last.ts';
import { settledBeforeStatement } from '../../../src/store/postgres/statements/settled-before.ts';
import { STATEMENT_FILES } from './statement-files.ts';

const TABLE = 'handle_once.records';

const forEachSize = (render: (table: string, size: Size) => string): string =>
  `-- One request.${render(TABLE, 'one')};\n\n-- Any number of requests.${render(TABLE, 'many')};`;

const WALKED = {
  leaf: TABLE,
  maintenance: 'handle_once.maintenance',
  failures: 'handle_once.failures',
};

const named = (statements: Readonly<Record<string, string>>): string =>
  Object.entries(statements)
    .map(([name, statement]) => `-- ${name}${statement};`)
    .join('\n\n');

const PAGES = pageStatements('handle_once');

const RENDERED: Record<string, string> = {
  'claim-new': forEachSize(claimNewStatement),
  'claim-any': forEachSize((table, size) => claimAnyStatement(table, size, LOCK_WAIT_MS)),
  extend: forEachSize((table, size) => extendStatement(table, size, LOCK_WAIT_MS)),
  keep: forEachSize((table, size) => keepStatement(table, size, LOCK_WAIT_MS)),
  settle: forEachSize((table, size) => settleStatement(table, size, LOCK_WAIT_MS)),
  'settled-before': forEachSize(settledBeforeStatement),
  'settle-last': forEachSize(settleLastStatement),
  locked: `${lockedStatement(TABLE)};`,
  lookup: `${lookupStatement(TABLE)};`,
  check: `${checkStatement('handle_once')};`,
  purge: `-- Without an archive.${purgeStatement(WALKED)};\n\n-- With one.${purgeStatement({ ...WALKED, archive: 'handle_once.archive' })};`,
  leaves: `${leavesStatement()};`,
  maintenance: named(maintenanceStatements('handle_once')),
  inspect: named(inspectStatements('handle_once')),
  logs: named(logStatements('handle_once')),
  history: named(historyStatements('handle_once')),
  pages: named({ ...PAGES, byPlace: PAGES.byPlace(TABLE) }),
};

// `npx vitest run test/store/postgres/rendered.test.ts -u` writes them.
test.each(Object.entries(RENDERED))('what %s.ts renders is beside it as .sql', async (name, sql) => {
  await expect(`${sql.trim()}\n`).toMatchFileSnapshot(STATEMENT_FILES.get(`${name}.sql`) ?? `${name}.sql`);
});
