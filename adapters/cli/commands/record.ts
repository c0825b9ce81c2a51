import type { Command } from 'commander';
import { findRecords, forgetRecord, showRecord } from '../../operations/index.ts';
import { answer, shared, type SharedOptions } from '../command.ts';
import { EXIT } from '../errors.ts';
import { eachOf, found, type FoundOptions, linesOf, WHOLE_SCOPE } from '../one-record.ts';

export function addShow(program: Command): void {
  found(program, 'show', 'the record of a key')
    .option('--result', 'with what its handler returned')
    .action(
      async (key: string, { scope, result, ...options }: FoundOptions & { readonly result?: boolean }) => {
        await answer(options, async (tables) => {
          if (scope === undefined) return eachOf(await findRecords({ ...tables, key, result }), linesOf);
          const record = await showRecord({ ...tables, scope, key, result });
          if (record === undefined) return { json: null, text: 'no such record', exitCode: EXIT.unchanged };
          return { json: record, text: linesOf(record) };
        });
      },
    );
}

export function addForget(program: Command): void {
  const command = program
    .command('forget <key>')
    .description('delete a record in any state: its next delivery runs');
  shared(command)
    .requiredOption('--scope <scope>', WHOLE_SCOPE)
    .action(async (key: string, { scope, ...options }: SharedOptions & { readonly scope: string }) => {
      await answer(options, async (tables) => {
        const forgotten = await forgetRecord({ ...tables, scope, key });
        if (forgotten.state === 'absent') {
          return { json: forgotten, text: 'no such record', exitCode: EXIT.unchanged };
        }
        const warning = forgotten.was === 'running' ? '; its handler runs on, without a fence' : '';
        return { json: forgotten, text: `forgotten; it was ${forgotten.was}${warning}` };
      });
    });
}
