import { type Command, InvalidArgumentError } from 'commander';
import type { Right } from '../../dashboard/index.ts';
import { answer, connected, print, type SharedOptions } from '../command.ts';
import { UsageError } from '../errors.ts';
import { stopSignal } from '../stop-signal.ts';
import { wholeNumber } from '../whole-number.ts';

interface DashboardOptions extends SharedOptions {
  readonly port: number;
  readonly allowActions?: boolean;
  readonly allowResults?: boolean;
}

function portNumber(text: string): number {
  const port = wholeNumber(text);
  if (port > 65_535) throw new InvalidArgumentError('It must be from 0 to 65535.');
  return port;
}

export function addDashboard(program: Command): void {
  connected(program.command('dashboard').description('serve the dashboard on 127.0.0.1 until it is stopped'))
    .option('--port <port>', 'the port (default: a free one)', portNumber, 0)
    .option(
      '--allow-actions',
      'allow records to be retried and forgotten; each action is written to the table audit',
    )
    .option('--allow-results', 'show what handlers returned')
    .action(async ({ port, allowActions, allowResults, ...options }: DashboardOptions) => {
      const { serve } = await loadServe();
      const rights: Right[] = [
        ...(allowActions === true ? (['act'] as const) : []),
        ...(allowResults === true ? (['results'] as const) : []),
      ];
      await answer(options, async (tables) => {
        await serve({ tables, port, rights, signal: stopSignal() }, (url) => {
          print(options, { text: `the dashboard is at ${url}\nCtrl+C stops it`, json: { url } });
        });
        return undefined;
      });
    });
}

/** Only this command needs hono. */
async function loadServe() {
  try {
    return await import('../dashboard/serve.ts');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError('the dashboard needs hono, which renders its pages: run npm install hono');
  }
}
