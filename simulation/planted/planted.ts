import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = 'simulation/planted';
const COPIED = ['adapters', 'simulation', 'src', 'package.json', 'tsconfig.json'];

/** Each has to be found within so many seeds. */
export const MOST_SEEDS = 2_000;

/** Where a bug was found first. */
export interface Found {
  readonly seed: number;
  readonly rule: string;
}

/** The names of the bugs that are kept as patches. */
export function plantedBugs(): string[] {
  const files = readdirSync(join(ROOT, FOLDER));
  return files.flatMap((file) => (file.endsWith('.diff') ? [file.slice(0, -'.diff'.length)] : [])).sort();
}

/** What a bug does, in a sentence: the first line of its patch. */
export function whatIsWrong(bug: string): string {
  return readFileSync(join(ROOT, FOLDER, `${bug}.diff`), 'utf8').split('\n')[0] ?? '';
}

/** Of the table in docs/correctness.md. */
export function rowOf(bug: string, { seed, rule }: Found): string {
  return `| \`${bug}\` | ${whatIsWrong(bug)} | ${seed} | \`${rule}\` |`;
}

/** Which seeds are looked at. */
export interface Range {
  readonly from: number;
  readonly seeds: number;
}

/**
 * Plants a bug in a copy of the sources, and looks for it. Undefined: no rule was broken. Throws when the patch does
 * not apply any more.
 */
export async function search(
  bug: string,
  { from, seeds }: Range = { from: 1, seeds: MOST_SEEDS },
): Promise<Found | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'handle-once-planted-'));
  try {
    for (const name of COPIED) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    await run('git', ['apply', join(ROOT, FOLDER, `${bug}.diff`)], folder);
    const range = ['--seeds', String(seeds), '--from', String(from)];
    return foundIn(
      await run(process.execPath, ['--import', 'tsx', 'simulation/main.ts', ...range], folder, 1),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** From the last line that the simulation prints. */
function foundIn(output: string): Found | undefined {
  const [, seed, rule = ''] = /^NOT KEPT: seed (\d+), after .+ ms, rule ([\w-]+):/m.exec(output) ?? [];
  return seed === undefined ? undefined : { seed: Number(seed), rule };
}

/** Runs a program, and gives what it prints. Rejects when it ends with another code than 0, or the one it may. */
function run(file: string, args: readonly string[], cwd: string, mayEndWith = 0): Promise<string> {
  return new Promise((resolve, reject) => {
    // Of a repository around the folder git must know nothing.
    const env = { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() };
    const child = spawn(file, args, { cwd, env });
    const printed: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => printed.push(text));
    }
    child.once('error', reject);
    child.once('close', (code) => {
      const output = printed.join('');
      if (code === 0 || code === mayEndWith) resolve(output);
      else reject(new Error(`${file} ${args.join(' ')} ended with ${code ?? 'a signal'}: ${output}`));
    });
  });
}
