import { createSqsClient } from '../../test/support/sqs-client.ts';
import { type Comparison, comparisonsTo } from '../compare.ts';
import { costMeter } from '../costs.ts';
import type { Database } from '../database.ts';
import { interleave } from '../interleave.ts';
import type { Sizes } from '../sizes.ts';
import { drain } from '../sqs/drain.ts';
import { ourPoller } from '../sqs/pollers.ts';
import { startSqsServer } from '../sqs/server.ts';
import type { Build } from './build.ts';

const GROUPS = [1, 50];
const CONCURRENCY = 50;
/** Of those that a standard queue gets: one group at a time is slow. */
const SHARE = 0.05;

/** Whole workers on a FIFO queue, whose groups are handled in order. */
export async function fifoWorkers(
  { sql }: Database,
  builds: readonly Build[],
  { rounds, brokerMessages }: Sizes,
): Promise<Comparison[]> {
  const server = await startSqsServer();
  const client = createSqsClient(server.url);
  try {
    const spent = await costMeter(sql);
    const pollers = [];
    for (const build of builds) {
      const { name, schema } = build;
      pollers.push(
        await ourPoller({ client, sql, work: 'one INSERT', concurrency: CONCURRENCY, name, schema, build }),
      );
    }
    const comparisons: Comparison[] = [];
    for (const groups of GROUPS) {
      const runners = pollers.map((poller) => ({
        name: poller.name,
        run: () => drain(poller, { client, spent, messages: brokerMessages * SHARE, groups }),
      }));
      await interleave(runners, 1);
      await sql`vacuum analyze`;
      const measured = await interleave(runners, rounds);
      comparisons.push(...comparisonsTo({ 'FIFO groups': groups }, measured, builds[0]?.name ?? ''));
    }
    return comparisons;
  } finally {
    client.destroy();
    await server.stop();
  }
}
