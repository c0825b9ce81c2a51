import { type Command } from 'commander';
import { forgetRecord, reopenRecord, showRecord } from '../../../src/operations.ts';
import { answer } from '../command.ts';
import { EXIT } from '../errors.ts';
import { linesOf, one, type OneOptions } from '../one-record.ts';

export function addShow(program: Command): void {
  one(program, 'show', 'one record')
    .option('--result', 'with what its handler returned')
    .action(
      async (key: string, { scope, result, ...options }: OneOptions & { readonly result?: boolean }) => {
        await answer(options, async (tables) => {
          const record = await showRecord({ ...tables, scope, key, result });
          if (record === undefined) return { json: null, text: 'no such record', exitCode: EXIT.unchanged };
          return { json: record, text: linesOf(record) };
        });
      },
    );
}

export function addRetry(program: Command): void {
  one(program, 'retry', 'let a failed record run again').action(
    async (key: string, { scope, ...options }: OneOptions) => {
      await answer(options, async (tables) => {
        const reopened = await reopenRecord({ ...tables, scope, key });
        if (reopened.state === 'unchanged') {
          const text = `unchanged: only a failed record can be reopened, and this one is ${reopened.found}`;
          return { json: reopened, text, exitCode: EXIT.unchanged };
        }
        return {
          json: reopened,
          text: 'reopened; nothing runs until the broker delivers the message again: send it from the dead letters',
        };
      });
    },
  );
}

export function addForget(program: Command): void {
  one(program, 'forget', 'delete a record in any state: its next delivery runs').action(
    async (key: string, { scope, ...options }: OneOptions) => {
      await answer(options, async (tables) => {
        const forgotten = await forgetRecord({ ...tables, scope, key });
        if (forgotten.state === 'absent') {
          return { json: forgotten, text: 'no such record', exitCode: EXIT.unchanged };
        }
        const warning = forgotten.was === 'running' ? '; its handler runs on, without a fence' : '';
        return { json: forgotten, text: `forgotten; it was ${forgotten.was}${warning}` };
      });
    },
  );
}
