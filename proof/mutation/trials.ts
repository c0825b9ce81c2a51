import type { Coverage, Folder, Trial } from './folder.ts';
import type { Mutant } from './instrument.ts';
import { runVitest } from './run-vitest.ts';

/** The tests of a process are registered once more for each of its mutants. */
const MUTANTS_OF_A_PROCESS = 50;

/** Gives what has become of mutants, by their ids, as soon as it is known. */
export async function* tryAll(
  mutants: readonly Mutant[],
  folder: Folder,
): AsyncGenerator<ReadonlyMap<string, string>> {
  await runVitest('cover', folder);
  const coverage = folder.read('coverage');
  for (const test of coverage.red) console.log(`fails without a mutant, and is left out: ${test}`);
  const trials = mutants.map((mutant) => toTrial(mutant, coverage));
  const unreached = trials.filter(({ tests }) => tests.length === 0);
  yield new Map(unreached.map(({ id }) => [id, id in coverage.static ? 'static' : 'not reached']));
  let left = trials.filter(({ tests }) => tests.length > 0);
  while (left.length > 0) {
    console.log(`${new Date().toLocaleTimeString()}: ${left.length} mutants to try`);
    const tried = await trySome(left.slice(0, MUTANTS_OF_A_PROCESS), folder);
    if (tried.size === 0) throw new Error(`No mutant was tried: see ${folder.path}/output.`);
    yield tried;
    left = left.filter(({ id }) => !tried.has(id));
  }
}

function toTrial({ id }: Mutant, { perTest, red }: Coverage): Trial {
  const reaching = Object.entries(perTest).filter(([test, hits]) => hits[id] && !red.includes(test));
  const mostHits = Math.max(0, ...reaching.map(([, hits]) => hits[id] ?? 0));
  return { id, tests: reaching.map(([test]) => test), hitLimit: 100 * mostHits + 1_000 };
}

async function trySome(trials: readonly Trial[], folder: Folder): Promise<Map<string, string>> {
  folder.write('trials', trials);
  await runVitest('try-mutants', folder);
  return new Map(folder.logged().map(({ id, outcome = 'timeout' }) => [id, outcome]));
}
