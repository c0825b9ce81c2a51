import { createRequire } from 'node:module';
import { built } from '../built.ts';
import { connect } from '../database.ts';
import { type Course, IN_FLIGHT, type Running, type Work } from './course.ts';

/** The clients are installed with the tests, in a folder of their own. */
export function installed(name: string): unknown {
  return createRequire(new URL('../../test/kafka-clients/package.json', import.meta.url))(name);
}

interface Worker {
  run(): Promise<void>;
  stop(): Promise<void>;
}

/** What both subpaths with `createKafkaWorker` take alike. */
type CreateWorker = (
  options: Record<string, unknown>,
  handler: (delivery: { message: Parameters<Work>[0] }) => Promise<void>,
) => Worker;

export async function startWorker(
  { way, topic, partitions, groupId, databaseUrl }: Course,
  work: Work,
  of: { readonly createKafkaWorker: unknown; readonly client: unknown; readonly config: object },
): Promise<Running> {
  const { createHandleOnce } = await built.core();
  const sql = connect(databaseUrl);
  const worker = (of.createKafkaWorker as CreateWorker)(
    {
      ...{ client: of.client, config: of.config, topics: [topic], groupId, fromBeginning: true },
      handleOnce: createHandleOnce({ sql, scope: `bench-${way}` }),
      ordering: way,
      concurrency: way === 'key' ? IN_FLIGHT : partitions,
      onFailed: 'acknowledge',
    },
    ({ message }) => work(message),
  );
  await worker.run();
  return {
    async stop() {
      await worker.stop();
      await sql.end();
    },
  };
}
