import { type Command } from 'commander';
import { maintain, type MaintenanceReport } from '../../operations/index.ts';
import { answer, type SharedOptions, unhurried } from '../command.ts';
import { duration } from '../duration.ts';
import { stopSignal } from '../stop-signal.ts';

interface MaintainOptions extends SharedOptions {
  readonly for?: number;
  readonly archive?: boolean;
  readonly abandonedAfter?: number;
  readonly purgeAbandonedAfter?: number;
}

export function addMaintain(program: Command): void {
  unhurried(program.command('maintain').description('delete what has expired, and count what is left'))
    .option('--for <time>', 'stop after this long; the next call continues from there', duration)
    .option('--archive', 'copy deleted records to the table archive')
    .option(
      '--abandoned-after <time>',
      'report pending records that were not delivered again (default: 14d)',
      duration,
    )
    .option('--purge-abandoned-after <time>', 'delete them (default: 30d)', duration)
    .action(async (given: MaintainOptions) => {
      const { for: maxMs, archive, abandonedAfter, purgeAbandonedAfter, ...options } = given;
      const times = { abandonedAfterMs: abandonedAfter, purgeAbandonedAfterMs: purgeAbandonedAfter };
      await answer(options, async (tables) => {
        const report = await maintain({ ...tables, ...times, archive, maxMs, signal: stopSignal() });
        return { json: report, text: textOf(report) };
      });
    });
}

function textOf(report: MaintenanceReport): string {
  switch (report.state) {
    case 'busy':
      return 'another process is walking';
    case 'stopped':
      if (report.reason === 'taken-over') return 'another process has taken over the walk';
      return `stopped (${report.reason}) after ${report.purged} deleted; the next call continues from there`;
    case 'finished':
      return `${report.purged} deleted, ${report.records} left (${report.abandoned} abandoned)`;
  }
}
