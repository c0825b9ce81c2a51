import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Check, holds, type Report } from '../chaos/report.ts';
import { runProgram } from '../../test/support/run-program.ts';
import { type Step, table } from '../step.ts';
import { brokenIn } from './broken-reports.ts';

/** Consumers on a real broker, in groups that rebalance, freeze and lose brokers. */
export const storms: Step = {
  name: 'kafka',
  title: 'Storms on Kafka',
  async run({ seed }) {
    const reports = await reportsOf(seed);
    const broken = brokenIn(reports);
    const text = `${figuresOf(reports)}\n\n${LEGEND}\n\n${rulesOf(reports)}${broken.shown}`;
    return { holds: broken.holds, text };
  },
};

/** In a process of their own: clients of brokers that were killed may keep one from ending. */
async function reportsOf(seed: number): Promise<Report[]> {
  const folder = mkdtempSync(join(tmpdir(), 'handle-once-storms-'));
  const output = join(folder, 'reports.json');
  try {
    const args = ['run', '-s', 'chaos', '--', 'kafka', '--seed', String(seed), '--output', output];
    await runProgram('npm', args, { isShown: true });
    return JSON.parse(readFileSync(output, 'utf8')) as Report[];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const LEGEND =
  'Below, in how many cases each rule was looked for: in messages, runs, commits or workers. `proof/chaos/README.md` says what ' +
  'each storm does.';

function figuresOf(reports: readonly Report[]): string {
  const names = [...new Set(reports.flatMap(({ figures }) => Object.keys(figures)))];
  const rows = reports.map(({ storm, figures }) => [
    storm,
    ...names.map((name) => figures[name]?.toLocaleString('en') ?? ''),
  ]);
  return table(['storm', ...names], rows);
}

function rulesOf(reports: readonly Report[]): string {
  const rules = [...new Set(reports.flatMap(({ checks }) => checks.map(({ rule }) => rule)))];
  const rows = rules.map((rule) => [
    rule,
    ...reports.map(({ checks }) => cellOf(checks.find((check) => check.rule === rule))),
  ]);
  return table(['rule', ...reports.map(({ storm }) => storm)], rows);
}

function cellOf(check: Check | undefined): string {
  if (check === undefined) return '';
  if (check.violations.length > 0) return `**${check.violations.length} violated**`;
  return holds(check) ? check.looked.toLocaleString('en') : '**not seen**';
}
