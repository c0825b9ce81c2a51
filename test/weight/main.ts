/**
 * Prints what bundles of the package weigh, and what they add to the start of a process: the table of
 * docs/evidence/benchmarks/README.md.
 *
 *     npm run weight                     # of this checkout
 *     npm run weight -- --starts 40      # more starts of each
 *     npm run weight -- ../another       # of another checkout, to compare
 *
 * Times are of the processor, so that other processes of the machine count for little, and medians. What an empty
 * module takes is subtracted.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Bundle, bundle } from './bundle.ts';
import { programs } from './programs.ts';
import { CACHE, published, ROOT } from './published.ts';
import { reporting, startOnce } from './start.ts';

const OUT = join(ROOT, CACHE);
const EMPTY = 'an empty module';

const { values, positionals } = parseArgs({
  options: { starts: { type: 'string', default: '20' } },
  allowPositionals: true,
});

function kilobytes(bytes: number): string {
  return (bytes / 1_000).toFixed(1);
}

function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

function fileOf(name: string, code: string): string {
  const file = join(OUT, `${name.replaceAll(/\W+/g, '-')}.mjs`);
  writeFileSync(file, reporting(code));
  return file;
}

mkdirSync(OUT, { recursive: true });
const folder = await published(positionals[0] === undefined ? undefined : resolve(positionals[0]));
const bundles = new Map<string, Bundle>();
for (const [name, program] of Object.entries(programs)) {
  bundles.set(name, await bundle(program, folder));
}
const files = new Map([[EMPTY, fileOf(EMPTY, '')]]);
for (const [name, { code }] of bundles) files.set(name, fileOf(name, code));

const samples = new Map(Array.from(files.keys(), (name) => [name, [] as number[]]));
// In turns, so that what else the machine does falls on all alike.
for (let turn = 0; turn < Number(values.starts); turn += 1) {
  for (const [name, file] of files) samples.get(name)?.push(startOnce(file));
}

const base = median(samples.get(EMPTY) ?? []);
console.log('| bundle | kB, minified | ms at start |');
console.log('| --- | --- | --- |');
for (const [name, { bytes }] of bundles) {
  const added = median(samples.get(name) ?? []) - base;
  console.log(`| ${name} | ${kilobytes(bytes)} | ${added.toFixed(1)} |`);
}
console.log(
  `\nan empty module: ${base.toFixed(1)} ms; Node ${process.version}, ${values.starts} starts of each`,
);
