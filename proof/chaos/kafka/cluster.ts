import type { Admin } from 'kafkajs';
import { startKafkaCluster } from '../../../test/support/services/kafka-process.ts';
import type { Chaos } from '../chaos.ts';
import type { Report } from '../report.ts';
import { until } from '../until.ts';
import { COMMIT_LOG } from './commit-log.ts';
import { runStorm } from './run-storm.ts';
import type { Storm, StormOptions } from './storm.ts';

const BROKERS = 3;
const PARTITIONS = 6;
const PROGRESS = 150;

/** Of three brokers one after the other is killed: one that leads partitions, or that coordinates the group. */
export async function cluster(chaos: Chaos): Promise<Report> {
  const kafka = await startKafkaCluster(BROKERS);
  const steps = chaos.quick ? 2 : 8;
  try {
    const options: StormOptions = {
      ...{ name: 'cluster', brokers: kafka.url.split(','), ordering: 'key', fromBeginning: false },
      ...{ partitions: PARTITIONS, keys: 60, perSecond: 40, failing: 0.05, handlerMs: [10, 50] },
      ...{ sessionTimeoutMs: 6_000, leaseMs: 5_000, mayCrash: true },
    };
    return await runStorm(chaos, options, async (storm) => {
      for (let worker = 0; worker < 3; worker += 1) storm.fleet.join();
      await until('start positions', async () => (await storm.committed()).every((offset) => offset === 0));
      await storm.startLoad();
      for (let step = 1; step <= steps; step += 1) {
        await storm.progress(PROGRESS);
        const { id, role } = await victim(storm);
        storm.log(`step ${step} of ${steps}: broker ${id} is killed, ${role}`);
        await kafka.brokers[id - 1]?.kill();
        await storm.progress(PROGRESS);
        await kafka.brokers[id - 1]?.restart();
        await until('all replicas in sync', () => isInSync(storm));
        await storm.commits.look();
      }
      return { steps };
    });
  } finally {
    await kafka.stop();
  }
}

async function victim({ admin, topic, random }: Storm): Promise<{ id: number; role: string }> {
  const partition = Math.floor(random() * PARTITIONS);
  if (random() < 0.5) return { id: await leaderOf(admin, COMMIT_LOG, 0), role: 'the coordinator' };
  return { id: await leaderOf(admin, topic, partition), role: `leader of partition ${partition}` };
}

async function leaderOf(admin: Admin, topic: string, partition: number): Promise<number> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
  const found = topics[0]?.partitions.find(({ partitionId }) => partitionId === partition);
  if (found === undefined) throw new Error(`${topic} has no partition ${partition}`);
  return found.leader;
}

async function isInSync({ admin, topic }: Storm): Promise<boolean> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic, COMMIT_LOG] });
  return topics.every(({ partitions }) => partitions.every(({ isr }) => isr.length === BROKERS));
}
