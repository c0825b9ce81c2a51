import { Command } from 'commander';
import { PACKAGE_VERSION } from '../../src/adapter-kit.ts';
import { addDashboard } from './commands/dashboard.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExplain } from './commands/explain.ts';
import { addForget, addShow } from './commands/record.ts';
import { addGrants } from './commands/grants.ts';
import { addList } from './commands/list.ts';
import { addMaintain } from './commands/maintain.ts';
import { addMigrate } from './commands/migrate.ts';
import { addRedrive } from './commands/redrive.ts';
import { addRetry } from './commands/retry.ts';
import { addSql } from './commands/sql.ts';
import { addStats } from './commands/stats.ts';
import { addStatus } from './commands/status.ts';
import { EXIT } from './errors.ts';

/** All commands. `end` ends the process where one is called in a way that cannot work, and after a text of help. */
export function createProgram(end: (exitCode: number) => never): Command {
  const program = new Command('handle-once')
    .description('Creates, inspects and maintains the tables of handle-once, and retries failed messages')
    .version(PACKAGE_VERSION, '--version', 'print the version')
    .exitOverride(({ exitCode }) => end(exitCode === 0 ? EXIT.done : EXIT.usage));
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
    addDashboard,
  ]) {
    add(program);
  }
  return program;
}
