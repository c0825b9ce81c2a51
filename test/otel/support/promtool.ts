import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, onTestFinished } from 'vitest';
import { debianFile } from '../../support/services/debian-package.ts';
import { succeeds } from '../../support/services/run.ts';

const execute = promisify(execFile);
const FILE = 'usr/bin/promtool';
const DOWNLOAD_MS = 300_000;

/** That of this machine, or else that of Debian's package. */
async function find(): Promise<string> {
  if (await succeeds({ file: 'promtool', args: ['--version'] })) return 'promtool';
  try {
    return join(await debianFile('prometheus', FILE), FILE);
  } catch (cause) {
    throw new Error('tests of PromQL need promtool on the path, or apt-get with the package prometheus', {
      cause,
    });
  }
}

export type Promtool = (...args: string[]) => Promise<string>;

/** Runs promtool to its end, and throws what it says of a mistake. It is found before the calling file's first test. */
export function usePromtool(): Promtool {
  let file = '';

  beforeAll(async () => {
    file = await find();
  }, DOWNLOAD_MS);

  return async (...args) => {
    const { stdout } = await execute(file, args).catch((error: unknown) => {
      const { message, stdout: out = '' } = error as Error & { readonly stdout?: string };
      throw new Error(`${message}\n${out}`);
    });
    return stdout;
  };
}

/** The name of a file with some JSON, which is YAML too, until the test ends. */
export async function jsonFile(content: unknown): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'handle-once-promtool-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'content.yml');
  await writeFile(file, JSON.stringify(content));
  return file;
}
