import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import type { SectionName } from '../options.ts';
import type { Figures } from '../section.ts';
import { overInFlight, overTableSize } from './charts.ts';
import type { Environment } from './machine.ts';

const FOLDER = new URL('../../docs/benchmarks/', import.meta.url);
const RESULTS = new URL('results.json', FOLDER);

export interface SectionResult extends Environment, Figures {
  readonly date: string;
  /** The machine's load average of the last minute, before and after. */
  readonly load: readonly [before: number, after: number];
}

type Results = Readonly<Partial<Record<SectionName, SectionResult>>>;

/** Keeps the figures of the sections that ran in place of their former ones, and draws the charts anew. */
export async function keepResults(ran: Results): Promise<void> {
  const former = existsSync(RESULTS) ? (JSON.parse(readFileSync(RESULTS, 'utf8')) as Results) : {};
  const results = { ...former, ...ran };
  await mkdir(FOLDER, { recursive: true });
  const config = await resolveConfig(RESULTS);
  await writeFile(RESULTS, await format(JSON.stringify(results), { ...config, parser: 'json' }));
  if (results.core) await writeFile(new URL('in-flight.svg', FOLDER), overInFlight(results.core));
  if (results.size) await writeFile(new URL('table-size.svg', FOLDER), overTableSize(results.size));
}
