/** DBOS as one would use it to handle a message once: a workflow whose id is the key, with one step. */
import { DBOS } from '@dbos-inc/dbos-sdk';
import type postgres from 'postgres';
import type { Contender, Payload } from '../core/contender.ts';
import type { DbosRequest } from '../core/dbos.ts';
import { measureBoth, measureFresh } from '../core/measure.ts';
import { createWork, WORK_NAMES, type Work } from '../core/work.ts';
import { connect, CONNECTIONS } from '../database.ts';

const [databaseUrl = ''] = process.argv.slice(2);
const sql = connect(databaseUrl);
DBOS.setConfig({
  name: 'handle-once-bench',
  systemDatabaseUrl: databaseUrl,
  systemDatabasePoolSize: CONNECTIONS,
  logLevel: 'error',
});
const contenders: Contender[] = [];
for (const name of WORK_NAMES) contenders.push(dbosContender(sql, await createWork(sql, name, 'DBOS')));
await DBOS.launch();

process.on('message', (request: DbosRequest) => {
  void measure(request).then((rates) => process.send?.(rates));
});
process.once('disconnect', () => {
  void DBOS.shutdown().then(() => process.exit());
});
process.send?.('ready');

async function measure({ work, duplicates, ...load }: DbosRequest) {
  const contender = contenders.find((each) => each.work.name === work);
  if (contender === undefined) throw new Error(`no work ${work}`);
  return await (duplicates ? measureBoth : measureFresh)(contender, load);
}

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
