import type { Command } from 'commander';
import { migrate } from '../../../src/index.ts';
import { answer, connected, type SharedOptions } from '../command.ts';

export function addMigrate(program: Command): void {
  connected(program.command('migrate').description('bring the tables up to this version')).action(
    async (options: SharedOptions) => {
      await answer(options, async ({ sql, databaseSchema: schema }) => {
        const result = await migrate(sql, { schema });
        const { version, applied } = result;
        const done = applied.length === 0 ? 'nothing to do' : `ran ${applied.join(', ')}`;
        return { json: result, text: `${done}; the tables have version ${version}` };
      });
    },
  );
}
