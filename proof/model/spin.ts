import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { outputOf } from '../../test/support/run-program.ts';
import { EVERYTHING_ENDS, type Search } from './cases.ts';

/** What a search has found. */
export type Found =
  | { readonly kind: 'holds'; readonly states: number; readonly seconds: number }
  /** `steps` is a way there, as Spin tells it. */
  | { readonly kind: 'violated'; readonly rule: string; readonly steps: string };

const MOST_MEGABYTES = 6_000;
const DEEPEST = 1_000_000;
/** What the hash table begins with: it grows, and most counterexamples need little of it. */
const HASH_BITS = 20;

/** Looks at every state of a model. Throws where it could not look at all of them. */
export async function search(
  spin: string,
  { model, looksFor, defines, optimization }: Search,
): Promise<Found> {
  const folder = mkdtempSync(join(tmpdir(), 'handle-once-model-'));
  const file = fileURLToPath(new URL(`${model}/${model}.pml`, import.meta.url));
  const switches = defines.map((define) => `-D${define}`);
  const ends = looksFor === 'termination';
  try {
    const startedAt = performance.now();
    await outputOf(spin, [...switches, '-a', file], { cwd: folder });
    const kind = ends ? ['-DNFAIR=3'] : ['-DSAFETY', '-DNOCLAIM'];
    await outputOf('cc', [optimization, '-w', ...kind, `-DMEMLIM=${MOST_MEGABYTES}`, '-o', 'pan', 'pan.c'], {
      cwd: folder,
    });
    const output = await outputOf(
      './pan',
      [`-m${DEEPEST}`, `-w${HASH_BITS}`, ...(ends ? ['-a', '-f'] : [])],
      { cwd: folder },
    );
    const rule = violatedRule(output);
    if (rule !== undefined) {
      const steps = await outputOf(spin, [...switches, '-k', `${model}.pml.trail`, '-p', file], {
        cwd: folder,
      });
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
