import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EVERYTHING_ENDS, type Search } from './cases.ts';

/** What a search has found. */
export type Found =
  | { readonly kind: 'holds'; readonly states: number; readonly seconds: number }
  /** `steps` is a way there, as Spin tells it. */
  | { readonly kind: 'violated'; readonly rule: string; readonly steps: string };

const MOST_MEGABYTES = 3_000;
const DEEPEST = 1_000_000;

/** Looks at every state of a model. Throws where it could not look at all of them. */
export async function search(spin: string, { model, looksFor, defines }: Search): Promise<Found> {
  const folder = mkdtempSync(join(tmpdir(), 'handle-once-model-'));
  const file = fileURLToPath(new URL(`${model}/${model}.pml`, import.meta.url));
  const switches = defines.map((define) => `-D${define}`);
  const ends = looksFor === 'termination';
  try {
    const startedAt = performance.now();
    await run(spin, [...switches, '-a', file], folder);
    const kind = ends ? ['-DNFAIR=3'] : ['-DSAFETY', '-DNOCLAIM'];
    await run('cc', ['-O1', '-w', ...kind, `-DMEMLIM=${MOST_MEGABYTES}`, '-o', 'pan', 'pan.c'], folder);
    const output = await run('./pan', [`-m${DEEPEST}`, ...(ends ? ['-a', '-f'] : [])], folder);
    const rule = violatedRule(output);
    if (rule !== undefined) {
      const steps = await run(spin, [...switches, '-k', `${model}.pml.trail`, '-p', file], folder);
      return { kind: 'violated', rule, steps };
    }
    return { kind: 'holds', states: statesIn(output), seconds: (performance.now() - startedAt) / 1_000 };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function violatedRule(output: string): string | undefined {
  if (output.includes('acceptance cycle')) return EVERYTHING_ENDS;
  return /assertion violated \W*(\w+)/.exec(output)?.[1];
}

/** Only of a search that came to its end. */
function statesIn(output: string): number {
  const states = /^ *(\d+) states, stored/m.exec(output)?.[1];
  const isWhole = output.includes('errors: 0') && !/not completed|too small|out of memory/.test(output);
  if (states === undefined || !isWhole) throw new Error(`the search came to no end:\n${output}`);
  return Number(states);
}

/** What a program prints. Rejects when it ends with another code than 0. */
function run(file: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd });
    const printed: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => printed.push(text));
    }
    child.once('error', reject);
    child.once('close', (code) => {
      const output = printed.join('');
      if (code === 0) resolve(output);
      else reject(new Error(`${file} ${args.join(' ')} ended with ${code ?? 'a signal'}: ${output}`));
    });
  });
}
