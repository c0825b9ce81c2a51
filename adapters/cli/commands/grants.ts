import { type Command, Option } from 'commander';
import { grantsSql } from '../../operations/index.ts';
import { USES } from '../../operations/grants-sql.ts';

interface GrantsOptions {
  readonly for: (typeof USES)[number];
  readonly schema: string;
}

/** Plain SQL, for the owner of the tables to run. It needs no database. */
export function addGrants(program: Command): void {
  program
    .command('grants <role>')
    .description('print the statements that give a role the rights it needs')
    .addOption(new Option('--for <use>', 'what the role does').choices(USES).default('handle'))
    .option('--schema <name>', 'the Postgres schema that has the tables', 'handle_once')
    .action((role: string, { for: use, schema }: GrantsOptions) => {
      process.stdout.write(grantsSql({ role, for: use, databaseSchema: schema }));
    });
}
