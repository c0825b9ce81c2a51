import { DBOS } from '@dbos-inc/dbos-sdk';
import postgres from 'postgres';
import type { Contender, Payload } from '../core/contender.ts';
import type { Work } from '../core/work.ts';
import type { DbosPeer } from '../peers.ts';

/** DBOS as one would use it to handle a message once: a workflow whose id is the key, with one step. */
export const startDbos: DbosPeer['startDbos'] = async (databaseUrl, works) => {
  DBOS.setConfig({
    name: 'handle-once-bench',
    systemDatabaseUrl: databaseUrl,
    systemDatabasePoolSize: 10,
    logLevel: 'error',
  });
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined });
  const contenders = works.map((work) => dbosContender(sql, work));
  await DBOS.launch();
  return {
    contenders,
    async stop() {
      await DBOS.shutdown();
      await sql.end();
    },
  };
};

function dbosContender(sql: postgres.Sql, work: Work): Contender {
  const workflow = DBOS.registerWorkflow((_: Payload) => DBOS.runStep(work.run, { name: 'work' }), {
    name: work.name,
  });
  return {
    name: 'DBOS',
    work,
    async handle(key, payload) {
      await DBOS.withNextWorkflowID(key, () => workflow(payload));
    },
    async succeeded(keys) {
      const [{ count }] = await sql<[{ count: number }]>`
        select count(*)::int as count from dbos.workflow_status
        where workflow_uuid = any(${[...keys]}) and status = 'SUCCESS'`;
      return count;
    },
  };
}
