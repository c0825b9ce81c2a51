import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from '../../test/support/services/temporary-directory.ts';

const execute = promisify(execFile);
const DEBIAN = '/usr/lib/postgresql';

/** A pgbench, in PATH or where Debian's packages keep it, and its version. */
export interface Pgbench {
  readonly file: string;
  readonly version: string;
}

export async function findPgbench(): Promise<Pgbench | undefined> {
  for (const file of ['pgbench', ...debianPrograms()]) {
    const found = await execute(file, ['--version']).catch(() => undefined);
    if (found !== undefined) return { file, version: found.stdout.trim() };
  }
  return undefined;
}

function debianPrograms(): string[] {
  try {
    const versions = readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a));
    return versions.map((version) => join(DEBIAN, version, 'bin', 'pgbench'));
  } catch {
    return [];
  }
}

export interface PgbenchRun {
  readonly url: string;
  readonly script: string;
  readonly clients: number;
  readonly variables: Readonly<Record<string, string | number>>;
}

export interface PgbenchResult {
  /** How often the script ran. */
  readonly scripts: number;
  readonly scriptsPerSecond: number;
}

const SECONDS = 2;
/** Of them: a new session has its catalog to read and its statements to plan, as many times as there are clients. */
const WARM_UP_SECONDS = 1;

/** Runs a script in prepared statements for a while. The rate is that of warm sessions. */
export async function runPgbench({ file }: Pgbench, run: PgbenchRun): Promise<PgbenchResult> {
  const folder = temporaryDirectory('handle-once-pgbench-');
  try {
    const script = join(folder.path, 'script.sql');
    await writeFile(script, run.script);
    await execute(file, [
      '--no-vacuum',
      '--protocol=prepared',
      `--file=${script}`,
      `--client=${run.clients}`,
      `--jobs=${Math.min(2, run.clients)}`,
      `--time=${SECONDS}`,
      '--log',
      `--log-prefix=${join(folder.path, LOG)}`,
      ...Object.entries(run.variables).map(([name, value]) => `--define=${name}=${value}`),
      run.url,
    ]);
    const endedAt = await endsIn(folder.path);
    return { scripts: endedAt.length, scriptsPerSecond: rateAfter(WARM_UP_SECONDS, endedAt) };
  } finally {
    folder.remove();
  }
}

const LOG = 'log';

/** When each script ended, in seconds, of all threads. */
async function endsIn(folder: string): Promise<number[]> {
  const files = readdirSync(folder).filter((name) => name.startsWith(LOG));
  const logs = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return logs.flatMap((log) =>
    log
      .trimEnd()
      .split('\n')
      .map((line) => {
        const [, , , , seconds = '', microseconds = ''] = line.split(' ');
        return Number(seconds) + Number(microseconds) / 1_000_000;
      }),
  );
}

/** How many ended in each second after the first `warmUp` of them. */
export function rateAfter(warmUp: number, endedAt: readonly number[]): number {
  const times = endedAt.toSorted((a, b) => a - b);
  const from = (times[0] ?? 0) + warmUp;
  const warm = times.filter((time) => time > from);
  return warm.length / ((warm.at(-1) ?? Number.NaN) - from);
}
