import { setTimeout as sleep } from 'node:timers/promises';
import { startKafkaProcess } from '../../../test/support/services/kafka-process.ts';
import type { Chaos } from '../chaos.ts';
import type { Report } from '../report.ts';
import { runStorm } from './run-storm.ts';
import type { StormOptions } from './storm.ts';

const PROGRESS = 150;

/** The only broker is killed and starts again. */
export async function broker(chaos: Chaos): Promise<Report> {
  const kafka = await startKafkaProcess();
  const steps = chaos.quick ? 2 : 8;
  try {
    const options: StormOptions = {
      ...{ name: 'broker', brokers: [kafka.url], ordering: 'key', fromBeginning: true },
      ...{ partitions: 4, keys: 40, perSecond: 40, failing: 0.05, handlerMs: [10, 50] },
      ...{ sessionTimeoutMs: 6_000, leaseMs: 5_000, mayCrash: true },
    };
    return await runStorm(chaos, options, async (storm) => {
      for (let worker = 0; worker < 3; worker += 1) storm.fleet.join();
      await storm.startLoad();
      for (let step = 1; step <= steps; step += 1) {
        await storm.progress(PROGRESS);
        storm.log(`step ${step} of ${steps}: the broker is killed`);
        await kafka.kill();
        await sleep(storm.random() * 8_000);
        await kafka.restart();
        await storm.progress(PROGRESS);
        await storm.commits.look();
      }
      return { steps };
    });
  } finally {
    await kafka.stop();
  }
}
