import { createSqsClient } from '../../test/support/sqs-client.ts';
import { built } from '../built.ts';
import { type Comparison, compareTo, withCosts } from '../compare.ts';
import type { WorkName } from '../core/work.ts';
import { costMeter } from '../costs.ts';
import { withDatabase } from '../database.ts';
import { interleave } from '../interleave.ts';
import type { Section } from '../section.ts';
import { drain } from './drain.ts';
import { barePoller, OUR_WORKER, ourBatchPoller, ourPoller } from './pollers.ts';
import { startSqsServer } from './server.ts';

const CONCURRENCY = 50;
const WORKS: readonly WorkName[] = ['empty', 'one INSERT'];

/** Whole consumers of a full queue. */
export const sqs: Section = async ({ postgresUrl, sizes: { brokerMessages, brokerRounds } }) => {
  const server = await startSqsServer();
  const client = createSqsClient(server.url);
  try {
    return await withDatabase(postgresUrl, async ({ sql }) => {
      const { migrate } = await built.core();
      await migrate(sql);
      const spent = await costMeter(sql);
      const comparisons: Comparison[] = [];
      for (const work of WORKS) {
        const options = { client, endpoint: server.url, sql, work, concurrency: CONCURRENCY };
        const pollers = [
          await ourPoller(options),
          await barePoller(options, 'in batches'),
          await barePoller(options, 'one by one'),
          ...(work === 'one INSERT' ? [await ourBatchPoller(options)] : []),
        ];
        for (const poller of pollers) await drain(poller, { client, spent, messages: brokerMessages / 10 });
        await sql`vacuum analyze`;
        const runners = pollers.map((poller) => ({
          name: poller.name,
          run: () => drain(poller, { client, spent, messages: brokerMessages }),
        }));
        const measured = await interleave(runners, brokerRounds);
        const setting = { handler: work, concurrency: CONCURRENCY };
        const rates = compareTo(setting, measured.get('fresh') ?? [], OUR_WORKER);
        comparisons.push(withCosts(rates, measured, 'fresh'));
      }
      return {
        facts: { rounds: brokerRounds, messages: brokerMessages, server: server.name },
        comparisons,
      };
    });
  } finally {
    client.destroy();
    await server.stop();
  }
};
