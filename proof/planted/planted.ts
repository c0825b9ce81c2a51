import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { PROGRAM } from '../../test/support/program.ts';
import { outputOf } from '../../test/support/run-program.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = 'proof/planted';
const COPIED = ['adapters', 'proof/simulation', 'src', 'testing', 'package.json', 'tsconfig.json'];

/** Each of the simulation has to be found within so many seeds. */
const MOST_SEEDS = 2_000;

/** Where a bug was found first. */
export interface Found {
  readonly seed: number;
  readonly rule: string;
}

/** The names of the bugs that are kept as patches: of those that the simulation has to find, or of those in the SQL. */
export function plantedBugs(kind: '' | 'sql/' = ''): string[] {
  const files = readdirSync(join(ROOT, FOLDER, kind)).filter((file) => file.endsWith('.diff'));
  return files.map((file) => kind + file.slice(0, -'.diff'.length)).sort();
}

/** What a bug does, in a sentence: the first line of its patch. */
export function whatIsWrong(bug: string): string {
  return readFileSync(patchOf(bug), 'utf8').split('\n')[0] ?? '';
}

/** Of the table in docs/evidence/correctness.md. */
export function rowOf(bug: string, { seed, rule }: Found): string {
  return `| \`${bug}\` | ${whatIsWrong(bug)} | ${seed} | \`${rule}\` |`;
}

/** Which seeds are looked at. */
export interface Range {
  readonly from: number;
  readonly seeds: number;
}

/** Undefined: no rule was broken. Throws when the patch does not apply any more. */
export async function search(
  bug: string,
  { from, seeds }: Range = { from: 1, seeds: MOST_SEEDS },
): Promise<Found | undefined> {
  const range = ['--seeds', String(seeds), '--from', String(from)];
  return await withPlanted(bug, COPIED, async (folder) => {
    // Beside what it starts.
    const program = join(folder, 'proof/simulation/main.mjs');
    buildSync({ ...PROGRAM, entryPoints: [join(folder, 'proof/simulation/main.ts')], outfile: program });
    return foundIn(await outputOf(process.execPath, [program, ...range], { codes: [0, 1] }));
  });
}

/** Does something in a copy of the sources that has the bug. Throws when the patch does not apply any more. */
export async function withPlanted<Result>(
  bug: string,
  copied: readonly string[],
  run: (folder: string, patch: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'handle-once-planted-'));
  try {
    for (const name of copied) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    await plant(bug, folder);
    return await run(folder, readFileSync(patchOf(bug), 'utf8'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Throws when the patch does not apply to the sources as they are. */
export async function checkApplies(bug: string): Promise<void> {
  await outputOf('git', ['apply', '--check', patchOf(bug)], { cwd: ROOT });
}

async function plant(bug: string, folder: string): Promise<void> {
  // Of a repository around the folder git must know nothing.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() };
  await outputOf('git', ['apply', patchOf(bug)], { cwd: folder, env });
}

function patchOf(bug: string): string {
  return join(ROOT, FOLDER, `${bug}.diff`);
}

/** From the last line that the simulation prints. */
function foundIn(output: string): Found | undefined {
  const [, seed, rule = ''] = /^NOT KEPT: seed (\d+), after .+ ms, rule ([\w-]+):/m.exec(output) ?? [];
  return seed === undefined ? undefined : { seed: Number(seed), rule };
}
