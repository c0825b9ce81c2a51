import type { Command } from 'commander';
import {
  findRecords,
  forgetRecord,
  forgetStep,
  showRecord,
  type TablesOptions,
} from '../../operations/index.ts';
import { type Answer, answer, shared, type SharedOptions } from '../command.ts';
import { EXIT } from '../errors.ts';
import { eachOf, found, type FoundOptions, linesOf, NO_RECORD, WHOLE_SCOPE } from '../one-record.ts';

export function addShow(program: Command): void {
  found(program, 'show', 'the record of a key')
    .option('--result', 'with what its handler returned')
    .action(
      async (key: string, { scope, result, ...options }: FoundOptions & { readonly result?: boolean }) => {
        await answer(options, async (tables) => {
          if (scope === undefined) return eachOf(await findRecords({ ...tables, key, result }), linesOf);
          const record = await showRecord({ ...tables, scope, key, result });
          if (record === undefined) return { json: null, text: NO_RECORD, exitCode: EXIT.unchanged };
          return { json: record, text: linesOf(record) };
        });
      },
    );
}

export function addForget(program: Command): void {
  const command = program
    .command('forget <key>')
    .description(
      'delete a record in any state: its next delivery runs; or one of its steps, which runs again',
    );
  shared(command)
    .requiredOption('--scope <scope>', WHOLE_SCOPE)
    .option('--step <name>', 'only this step')
    .action(async (key: string, { scope, step, ...options }: ForgetOptions) => {
      await answer(options, (tables) =>
        step === undefined ? forgetAll(tables, scope, key) : forgetOne(tables, scope, key, step),
      );
    });
}

interface ForgetOptions extends SharedOptions {
  readonly scope: string;
  readonly step?: string;
}

async function forgetAll(tables: TablesOptions, scope: string, key: string): Promise<Answer> {
  const forgotten = await forgetRecord({ ...tables, scope, key });
  if (forgotten.state === 'absent') {
    return { json: forgotten, text: NO_RECORD, exitCode: EXIT.unchanged };
  }
  const warning = forgotten.was === 'running' ? '; its handler is still running, without a fence' : '';
  return { json: forgotten, text: `forgotten; it was ${forgotten.was}${warning}` };
}

const STEP_KEPT = {
  absent: 'no such record, or no step of this name has ended',
  running:
    'unchanged: an attempt is running and would write the step back. Stop its worker, or wait until it ends',
};

async function forgetOne(tables: TablesOptions, scope: string, key: string, step: string): Promise<Answer> {
  const forgotten = await forgetStep({ ...tables, scope, key, step });
  if (forgotten.state === 'forgotten')
    return { json: forgotten, text: 'forgotten: the next attempt runs it' };
  return { json: forgotten, text: STEP_KEPT[forgotten.state], exitCode: EXIT.unchanged };
}
