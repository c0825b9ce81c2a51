import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type SectionName, SECTIONS } from '../options.ts';
import type { Figures } from '../section.ts';
import { overInFlight, overTableSize } from './charts.ts';
import { embedded } from './embedded.ts';
import type { Environment } from './machine.ts';
import { toMarkdown } from './markdown.ts';
import { forScaling } from './scaling.ts';

const FOLDER = new URL('../../docs/evidence/benchmarks/', import.meta.url);
const RESULTS = new URL('results.json', FOLDER);
const SCALING = new URL('../../scaling.md', FOLDER);

export interface SectionResult extends Environment, Figures {
  readonly date: string;
  /** The machine's load average of the last minute, before and after. */
  readonly load: readonly [before: number, after: number];
}

type Results = Readonly<Partial<Record<SectionName, SectionResult>>>;

/** Keeps the figures of the sections that ran in place of their former ones, and writes all as text and charts. */
export async function keepResults(ran: Results): Promise<void> {
  const former = existsSync(RESULTS) ? (JSON.parse(readFileSync(RESULTS, 'utf8')) as Results) : {};
  const results = { ...former, ...ran };
  await mkdir(FOLDER, { recursive: true });
  await writeFormatted('results.json', JSON.stringify(results));
  await writeFormatted('figures.md', allFigures(results));
  await writeFormatted('../../scaling.md', withFigures(readFileSync(SCALING, 'utf8'), results));
  if (results.core) await writeFile(new URL('in-flight.svg', FOLDER), overInFlight(results.core));
  if (results.size) await writeFile(new URL('table-size.svg', FOLDER), overTableSize(results.size));
}

function allFigures(results: Results): string {
  const sections = SECTIONS.flatMap((name) => {
    const result = results[name];
    return result === undefined ? [] : [`${toMarkdown(name, result)}\n\n${circumstances(result)}`];
  });
  return ['# Figures', 'Written by `npm run bench`. [What they mean](README.md).', ...sections].join('\n\n');
}

function withFigures(page: string, results: Results): string {
  return Object.entries(forScaling(results)).reduce(
    (text, [name, shown]) => embedded(text, name, shown),
    page,
  );
}

function circumstances({
  date,
  machine,
  load: [before, after],
  versions,
  durability,
}: SectionResult): string {
  const { cpu, cores, memoryGiB } = machine;
  return [
    `${date}; ${cpu}, ${cores} cores, ${memoryGiB} GiB; load average ${before} before, ${after} after`,
    ...[versions, durability].map((record) =>
      Object.entries(record)
        .map((pair) => pair.join(' '))
        .join(', '),
    ),
  ].join('; ');
}

async function writeFormatted(name: string, content: string): Promise<void> {
  const file = new URL(name, FOLDER);
  await writeFile(file, content);
  execFileSync('npx', ['oxfmt', fileURLToPath(file)]);
}
