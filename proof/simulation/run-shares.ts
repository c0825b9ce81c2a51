import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { buildSync, type OutputFile } from 'esbuild';
import { V8_FLAGS } from './v8-flags.ts';
import { Coverage, type Counts } from './report/coverage.ts';
import { type Failure, type Outcome, runSeeds } from './run-seeds.ts';

/** Seeds that one process runs. */
export interface Share {
  readonly from: number;
  readonly count: number;
  readonly surface: string | undefined;
}

export interface ShareOutcome {
  readonly counts: Counts;
  readonly failure: Failure | undefined;
}

/** Where its packages are. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** To start another process takes as long as some seeds do. */
const FEWEST_SEEDS = 100;

/** The same as `runSeeds`, in as many processes as the machine has room for. */
export async function runShares(
  from: number,
  count: number,
  surface?: string,
  processes = Math.min(availableParallelism(), Math.ceil(count / FEWEST_SEEDS)),
): Promise<Outcome> {
  if (processes === 1) return await runSeeds(from, count, surface);
  const shares = sharesOf(from, count, surface, processes);
  const program = buildProgram();
  const outcomes = await Promise.all(shares.map((share) => runShare(share, program)));
  const coverage = new Coverage();
  for (const { counts } of outcomes) coverage.add(counts);
  const failures = outcomes.flatMap(({ failure }) => failure ?? []);
  return { coverage, failure: failures[0] };
}

/** One after the other: the first of them in which a seed fails has the first seed that does. */
function sharesOf(from: number, count: number, surface: string | undefined, processes: number): Share[] {
  const ends = Array.from(
    { length: processes + 1 },
    (_, index) => from + Math.floor((index * count) / processes),
  );
  return ends.slice(1).map((end, index) => {
    const start = ends[index] as number;
    return { from: start, count: end - start, surface };
  });
}

/** In one piece it needs a fifth less time than with a loader, which names each function that is made. */
function buildProgram(): Uint8Array {
  const { outputFiles } = buildSync({
    ...{ entryPoints: [fileURLToPath(new URL('share.ts', import.meta.url))], write: false, bundle: true },
    ...{ packages: 'external', platform: 'node', format: 'esm', target: 'node20' },
  });
  return (outputFiles[0] as OutputFile).contents;
}

function runShare(share: Share, program: Uint8Array): Promise<ShareOutcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...V8_FLAGS, '--input-type=module', '-', JSON.stringify(share)], {
      cwd: ROOT,
      stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
    child.stdin?.end(program);
    child.once('message', resolve);
    child.once('error', reject);
    child.once('exit', (code) => {
      reject(
        new Error(
          `seeds from ${share.from}: the process ended with ${code ?? 'a signal'}, without an answer`,
        ),
      );
    });
  });
}
