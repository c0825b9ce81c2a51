// What finds most mistakes in a minute and a half, before a commit: types, lint of what changed, unit tests, 500 seeds
// of the simulation, and the tests of the folders that changed.
//   npm run check           what is not committed or, where all is, the last commit
//   npm run check -- REF    everything since REF
import { availableParallelism } from 'node:os';
import { existsSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { fewAtOnce } from '../src/lib/few-at-once.ts';
import { runProgram } from './support/run-program.ts';

interface Step {
  readonly name: string;
  readonly args: readonly string[];
}

const SEEDS = '500';

/** Tests of a folder that lie elsewhere: those that run its SQL. */
const TESTED_IN: Readonly<Record<string, readonly string[]>> = {
  'src/postgres': ['test/store'],
  'src/history': ['test/operations', 'test/store/model.test.ts'],
  'adapters/operations': ['test/store/model.test.ts'],
};

function filesOf(...args: string[]): string[] {
  return execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(existsSync);
}

function changedSince(ref: string | undefined): string[] {
  const uncommitted = [
    ...filesOf('diff', '--name-only', ref ?? 'HEAD'),
    ...filesOf('ls-files', '--others', '--exclude-standard'),
  ];
  return uncommitted.length > 0 || ref !== undefined ? uncommitted : filesOf('diff', '--name-only', 'HEAD~1');
}

/** `src/engine/lease.ts` and `test/engine/lease.test.ts` are both of `test/engine`; a page is of `test/docs`. */
function testsOf(file: string): readonly string[] {
  const [root = '', folder = ''] = file.split('/');
  const name = root.endsWith('.md') || root === 'docs' ? 'docs' : folder;
  const tests = `test/${name}`;
  const own = !name.includes('.') && existsSync(tests) ? [tests] : [];
  return [...own, ...(TESTED_IN[`${root}/${folder}`] ?? [])];
}

function stepsFor(changed: readonly string[]): Step[] {
  const code = changed.filter((file) => /\.[cm]?[jt]sx?$/.test(file));
  const folders = new Set(changed.flatMap(testsOf));
  const files = (name: string, args: readonly string[], of: readonly string[]): Step[] =>
    of.length > 0 ? [{ name, args: [...args, ...of] }] : [];
  return [
    { name: 'unit tests', args: ['vitest', 'run', '--project', 'unit', '--reporter', 'dot'] },
    { name: 'types', args: ['run-s', 'typecheck'] },
    { name: 'simulation', args: ['tsx', 'proof/simulation/main.ts', '--seeds', SEEDS] },
    ...files('lint', ['oxlint', '--no-error-on-unmatched-pattern'], code),
    ...files('format', ['oxfmt', '--check', '--no-error-on-unmatched-pattern'], changed),
    ...files(
      'tests of what changed',
      ['vitest', 'run', '--project', 'integration', '--passWithNoTests', '--reporter', 'dot'],
      [...folders],
    ),
  ];
}

async function run({ name, args }: Step): Promise<boolean> {
  const begun = performance.now();
  const { code, printed } = await runProgram('npx', args);
  const seconds = Math.round((performance.now() - begun) / 1_000);
  console.log(code === 0 ? `ok      ${name}, ${seconds} s` : `${printed}\nFAILED  ${name}, ${seconds} s`);
  return code === 0;
}

const steps = stepsFor(changedSince(process.argv[2]));
const results = await fewAtOnce(steps, availableParallelism(), run);
process.exitCode = results.every(Boolean) ? 0 : 1;
