import { parseArgs } from 'node:util';

export const SECTIONS = [
  'core',
  'delay',
  'transaction',
  'batch',
  'steps',
  'latency',
  'sqs',
  'kafka',
  'kafka-clients',
  'size',
  'partitions',
  'scale',
  'citus',
  'memory',
  'maintenance',
  'horizon',
  'operations',
  'dashboard',
  'observability',
  'caching',
  'before',
] as const;
export type SectionName = (typeof SECTIONS)[number];

export interface BenchOptions {
  readonly sections: readonly SectionName[];
  readonly quick: boolean;
}

/** `[section ...] [--quick]`: all sections when none is named. */
export function parseOptions(args: readonly string[]): BenchOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { quick: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const unknown = positionals.filter((name) => !isSection(name));
  if (unknown.length > 0) {
    throw new Error(`no section ${unknown.join(', ')}: there are ${SECTIONS.join(', ')}`);
  }
  const asked = SECTIONS.filter((name) => positionals.includes(name));
  return { sections: asked.length > 0 ? asked : SECTIONS, quick: values.quick };
}

export function isSection(name: string): name is SectionName {
  return (SECTIONS as readonly string[]).includes(name);
}
