import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
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
  /** Of each client. */
  readonly transactions: number;
  readonly variables: Readonly<Record<string, string | number>>;
}

/** Runs a script in prepared statements. Returns scripts per second, without the time to connect. */
export async function runPgbench({ file }: Pgbench, run: PgbenchRun): Promise<number> {
  const folder = temporaryDirectory('handle-once-pgbench-');
  try {
    const script = join(folder.path, 'script.sql');
    await writeFile(script, run.script);
    const { stdout } = await execute(file, [
      '--no-vacuum',
      '--protocol=prepared',
      `--file=${script}`,
      `--client=${run.clients}`,
      `--jobs=${Math.min(2, run.clients)}`,
      `--transactions=${run.transactions}`,
      ...Object.entries(run.variables).map(([name, value]) => `--define=${name}=${value}`),
      run.url,
    ]);
    const rate = /^tps = ([\d.]+) \(without initial/m.exec(stdout)?.[1];
    if (rate === undefined) throw new Error(`pgbench told no rate:\n${stdout}`);
    return Number(rate);
  } finally {
    folder.remove();
  }
}
