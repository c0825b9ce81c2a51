import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../../test/support/run-program.ts';
import { whatIsWrong, withPlanted } from './planted.ts';

const COPIED = [
  ...['adapters', 'docs', 'migrations', 'proof/simulation', 'src', 'test', 'testing'],
  ...['package.json', 'tsconfig.json', 'vitest.config.ts'],
];

const inStore = (...names: string[]) => names.map((name) => `test/store/postgres/${name}.test.ts`);
const inOperations = (...names: string[]) => names.map((name) => `test/operations/${name}.test.ts`);

/** Tests of behaviour: the text of the SQL is no behaviour. In the order in which they look for a bug. */
const OF_STORE = [
  'test/store/postgres.test.ts',
  'test/store/endings.test.ts',
  'test/store/model.test.ts',
  ...inStore('settle-last', 'lives', 'writes-nothing', 'overtaken', 'locked', 'deadlocks'),
];
const OF_OPERATIONS = [
  ...inOperations('records', 'maintain', 'explain', 'list', 'runners', 'stats'),
  'test/store/model.test.ts',
];

/** The test that found a bug. */
export interface FoundBy {
  readonly file: string;
  readonly test: string;
}

/** Of the table in docs/evidence/correctness.md. */
export function sqlRowOf(bug: string, { file, test }: FoundBy): string {
  return `| \`${bug}\` | ${whatIsWrong(bug)} | \`${file}\` | ${test} |`;
}

/** Looks with the test that is known to find the bug, or with one file after the other. Undefined: none finds it. */
export async function testThatFinds(bug: string, known: FoundBy | undefined): Promise<FoundBy | undefined> {
  return await withPlanted(bug, COPIED, async (folder, patch) => {
    const all = /^--- a\/(?:adapters\/operations|src\/history)\//m.test(patch) ? OF_OPERATIONS : OF_STORE;
    for (const file of known === undefined ? all : [known.file]) {
      const test = await firstFailed(folder, file, known?.test);
      if (test !== undefined) return { file, test };
    }
    return undefined;
  });
}

/** Of the tests of a file, or of those with a name. */
async function firstFailed(folder: string, file: string, name?: string): Promise<string | undefined> {
  const report = join(folder, 'report.json');
  const run = ['vitest', 'run', '--bail', '1', '--reporter', 'json', '--outputFile', report, file];
  const named = name === undefined ? [] : ['-t', `^${name.replaceAll(/[^\w ]/g, '.')}$`];
  const { code, printed } = await runProgram('npx', [...run, ...named], { cwd: folder });
  const results = resultsIn(readFileSync(report, 'utf8'));
  if (code === 0 && results.some(({ status }) => status === 'passed')) return undefined;
  const failed = results.find(({ status }) => status === 'failed');
  if (failed === undefined) throw new Error(`${file} ended with ${code ?? 'a signal'}: ${printed}`);
  return failed.fullName;
}

interface Result {
  readonly status: string;
  readonly fullName: string;
}

function resultsIn(report: string): readonly Result[] {
  const { testResults } = JSON.parse(report) as {
    readonly testResults: readonly { readonly assertionResults: readonly Result[] }[];
  };
  return testResults.flatMap(({ assertionResults }) => assertionResults);
}
