#!/usr/bin/env node
import { Command } from 'commander';
import { PACKAGE_VERSION } from '../../src/adapter-kit.ts';
import { reportFailure } from './command.ts';
import { givenUp } from './give-up.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExplain } from './commands/explain.ts';
import { addGrants } from './commands/grants.ts';
import { addList } from './commands/list.ts';
import { addMaintain } from './commands/maintain.ts';
import { addMigrate } from './commands/migrate.ts';
import { addForget, addShow } from './commands/record.ts';
import { addRedrive } from './commands/redrive.ts';
import { addRetry } from './commands/retry.ts';
import { addSql } from './commands/sql.ts';
import { addStats } from './commands/stats.ts';
import { addStatus } from './commands/status.ts';
import { EXIT } from './errors.ts';

// Standard output is the answer's alone; kafkajs, and a module of the user's own, print there by default.
for (const name of ['log', 'info', 'debug'] as const) console[name] = console.error;

const program = new Command('handle-once')
  .description(
    'The tables of handle-once: make them, look into them, keep them small, get failed messages back',
  )
  .version(PACKAGE_VERSION, '--version', 'print the version')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? EXIT.done : EXIT.usage));

for (const add of [
  addMigrate,
  addSql,
  addGrants,
  addStatus,
  addStats,
  addList,
  addShow,
  addExplain,
  addRetry,
  addForget,
  addRedrive,
  addMaintain,
  addDoctor,
]) {
  add(program);
}

// The reader of a pipe may have had enough; the work is done all the same.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') reportFailure(error);
  process.exit();
});

try {
  await Promise.race([program.parseAsync(), givenUp]);
} catch (error) {
  reportFailure(error);
}
// A client of a module of the user's own may have no end, and keep the process alive.
process.stdout.write('', () => process.exit());
