/**
 * Changes the code in small ways, and looks whether a test or a seed of the simulation sees each change.
 * `npm run mutate -- src/engine test/engine`
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Folder } from './folder.ts';
import { instrument } from './instrument.ts';
import { toReport } from './report.ts';
import { tryAll } from './trials.ts';

const SEEDS = 'proof/mutation/seeds.ts';
/** They load the machine, start processes, or compare texts: they run where they are named. */
const NOT_RUN = new RegExp(
  [
    'engine/(many-in-flight|no-leftovers|overload|server-crash|slow-settles)',
    'kafka/(ask-admin|broker/.*|confluent/worker|platformatic/worker)',
    'operations/walk-pace',
    'sqs/(elasticmq|fauxqs|hanging-calls|room|silent-connections|stopping)',
    'store/(citus|postgres/(forms|plans|purge-plan|rendered|statements|storm))',
  ]
    .map((path) => `^test/${path}\\.test\\.ts$`)
    .join('|'),
);
function filesOf(path: string, suffix: string): string[] {
  if (path.endsWith('.ts')) return [path];
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith(suffix)).map((name) => join(path, name));
}

const isTest = (path: string): boolean => path.startsWith('test/');
const paths = process.argv.slice(2);
const slice = paths.filter((path) => !isTest(path));
if (slice.length === 0) throw new Error('Name a folder or files, such as src/engine.');
const tests = paths
  .filter(isTest)
  .flatMap((path) => filesOf(path, '.test.ts').filter((name) => name === path || !NOT_RUN.test(name)));

const { code, mutants } = await instrument(slice.flatMap((path) => filesOf(path, '.ts')));
const folder = new Folder(join('.stryker', slice.join('+').replaceAll('/', '-').slice(0, 200)));
folder.write('code', code);
folder.write('testFiles', [...tests, SEEDS]);

const known = { ...folder.read('known', {}) };
const keys = new Map(mutants.map(({ id, key }) => [id, key]));
const unseen = mutants.filter(({ key }) => !/^(killed|timeout)/.test(known[key] ?? ''));
for await (const outcomes of tryAll(unseen, folder)) {
  for (const [id, outcome] of outcomes) known[keys.get(id) ?? ''] = outcome;
  folder.write('known', known);
}
const report = toReport(slice.join(', '), mutants, known);
writeFileSync(join(folder.path, 'report.txt'), report);
console.log(report);
