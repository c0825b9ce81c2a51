/**
 * Looks for every planted bug, or for those that are named: `npm run planted`; for those in the SQL
 * `npm run planted -- --sql`. Prints the rows of the table in docs/evidence/correctness.md. Ends with 1 where a bug is
 * not found, or where the page has another row. TEST_DATABASE_URL for a server of your own.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../test/support/services/postgres.ts';
import { plantedBugs, rowOf, search } from './planted.ts';
import { type FoundBy, sqlRowOf, testThatFinds } from './sql.ts';

const { values, positionals } = parseArgs({ options: { sql: { type: 'boolean' } }, allowPositionals: true });
const page = readFileSync(new URL('../../docs/evidence/correctness.md', import.meta.url), 'utf8').replaceAll(
  / +/g,
  ' ',
);

async function rowOfSimulated(bug: string): Promise<string | undefined> {
  const found = await search(bug);
  return found && rowOf(bug, found);
}

/** The test that the page names. */
function onPage(bug: string): FoundBy | undefined {
  const row = page.split('\n').find((line) => line.startsWith(`| \`${bug}\` |`));
  if (row === undefined) return undefined;
  const [file = '', test = ''] = row.slice(0, -' |'.length).split(' | ').slice(2);
  return { file: file.replaceAll('`', ''), test };
}

async function rowInSql(bug: string): Promise<string | undefined> {
  const found = await testThatFinds(bug, onPage(bug));
  return found && sqlRowOf(bug, found);
}

/** The rows of a table whose last two columns say where each was found. */
async function lookForAll(
  bugs: readonly string[],
  where: string,
  find: (bug: string) => Promise<string | undefined>,
): Promise<void> {
  console.log(`| planted | what is wrong | ${where} |\n| --- | --- | --- | --- |`);
  for (const bug of bugs.filter((one) => positionals.length === 0 || positionals.includes(one))) {
    const row = await find(bug);
    const isOnPage = row !== undefined && page.includes(`\n${row}\n`);
    console.log(
      isOnPage
        ? row
        : row === undefined
          ? `NOT FOUND: ${bug}`
          : `NOT IN docs/evidence/correctness.md: ${row}`,
    );
    if (!isOnPage) process.exitCode = 1;
  }
}

if (values.sql === true) {
  const postgres = await startPostgres();
  process.env['TEST_DATABASE_URL'] = postgres.url;
  try {
    await lookForAll(plantedBugs('sql/'), 'found in | by', rowInSql);
  } finally {
    await postgres.stop();
  }
} else {
  await lookForAll(plantedBugs(), 'first seed | rule', rowOfSimulated);
}
