/**
 * Changes the code in small ways, and looks whether a seed of the simulation sees each change.
 * `npm run mutate -- src/engine test/engine`: where no seed does, these tests are run too.
 */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Stryker } from '@stryker-mutator/core';
import { toRow } from './to-row.ts';
import { startPostgres } from '../../test/support/services/postgres.ts';

const paths = process.argv.slice(2).map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.ts`));
const isTest = (path: string): boolean => path.startsWith('test/');
const slice = paths.filter((path) => !isTest(path));
const tests = paths.filter(isTest).map((path) => path.replace('*.ts', '*.test.ts'));
if (slice.length === 0) throw new Error('Name a folder or files, such as src/engine.');

/** What is known of a slice: a mutant is run again only after a change of its code or of its tests. */
const folder = `.stryker/${slice.join('+').replaceAll(/[/*]+/g, '-')}`;
mkdirSync(folder, { recursive: true });

const postgres = tests.length === 0 ? undefined : await startPostgres();
if (postgres !== undefined) process.env['TEST_DATABASE_URL'] = postgres.url;
process.env['MUTATION_TESTS'] = tests.join(',');
try {
  const mutants = await new Stryker({
    mutate: slice,
    plugins: [fileURLToPath(new URL('runner.ts', import.meta.url)), '@stryker-mutator/vitest-runner'],
    testRunner: 'seeds-then-tests',
    testRunnerNodeArgs: ['--import', 'tsx'],
    vitest: { configFile: 'proof/mutation/vitest.config.ts', related: false },
    coverageAnalysis: 'perTest',
    // The compiler knows the texts that code compares; the others are for people.
    mutator: { excludedMutations: ['StringLiteral'] },
    // What runs once, when the code is loaded, would need a new process for each mutant.
    ignoreStatic: true,
    ignorePatterns: ['.stryker', 'dist', 'site', 'bench/peers', 'proof/runtimes'],
    disableTypeChecks: false,
    concurrency: 1,
    timeoutMS: 20_000,
    timeoutFactor: 2,
    incremental: true,
    incrementalFile: `${folder}/incremental.json`,
    tempDirName: '.stryker/sandbox',
    reporters: ['clear-text', 'progress-append-only', 'json', 'html'],
    jsonReporter: { fileName: `${folder}/report.json` },
    htmlReporter: { fileName: `${folder}/report.html` },
    clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
  }).runMutationTest();
  console.log(toRow(slice.join(', '), mutants));
} finally {
  await postgres?.stop();
}
