import type { Command } from 'commander';
import { migrationSql } from '../../../src/index.ts';
import { wholeNumber } from '../whole-number.ts';

const HOW_TO_RUN = '-- Run it once, in one transaction: psql --single-transaction --set ON_ERROR_STOP=1';

/** Plain SQL for another migration tool. It needs no database. */
export function addSql(program: Command): void {
  program
    .command('sql')
    .description('print the migrations as one SQL script, for your own migration tool')
    .option('--schema <name>', 'the Postgres schema that gets the tables', 'handle_once')
    .option('--after <version>', 'leave out the migrations up to this one', wholeNumber, 0)
    .action(({ schema, after }: { readonly schema: string; readonly after: number }) => {
      // A file that a tool has begun with a line of its own must not lose its first statement.
      process.stdout.write(
        `\n-- handle-once: the tables in schema ${schema}\n${HOW_TO_RUN}\n${migrationSql({ schema, after })}`,
      );
    });
}
