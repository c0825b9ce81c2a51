import { setTimeout as sleep } from 'node:timers/promises';
import { endOffsets } from '../../../test/support/kafka-offsets.ts';
import type { Chaos } from '../chaos.ts';
import type { Check, Report } from '../report.ts';
import { until } from '../until.ts';
import { openStorm } from './open-storm.ts';
import type { Storm, StormOptions } from './storm.ts';
import { verify } from './verify.ts';

/** Runs a storm to its end, and checks what it has left. `storms` may return rules of its own. */
export async function runStorm(
  chaos: Chaos,
  options: StormOptions,
  storms: (storm: Storm) => Promise<{ readonly steps: number; readonly checks?: readonly Check[] }>,
): Promise<Report> {
  const startedAt = performance.now();
  const { storm, endLoad, close } = await openStorm(chaos, options);
  storm.log('begins');
  const watching = watch(storm);
  const ended = { steps: 0, violations: [] as string[], checks: [] as readonly Check[] };
  try {
    const note = (error: unknown) => ended.violations.push(String(error));
    await storms(storm).then((found) => Object.assign(ended, found), note);
    await endLoad()
      .then(() => calm(storm))
      .catch(note);
    await watching.end();
    const { figures, checks } = await verify(storm);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    const end = { rule: 'the storm comes to its end, and the group catches up', looked: 1, ...ended };
    return {
      storm: options.name,
      figures: { steps: ended.steps, ...figures, seconds },
      checks: [end, ...ended.checks, ...checks],
    };
  } finally {
    await watching.end();
    await endLoad();
    await close();
  }
}

/** Waits until all that was produced is committed, and lets all workers leave. */
async function calm({ fleet, admin, topic, committed, commits, log }: Storm): Promise<void> {
  if (fleet.alive().length === 0) fleet.join();
  log('calms down');
  await until('the group has committed all', async () => {
    const ends = await endOffsets(admin, topic);
    const now = await committed();
    return ends.every((end, partition) => (now[partition] ?? -1) >= end);
  });
  await Promise.all(fleet.alive().map((worker) => fleet.leave(worker)));
  await commits.look();
}

const LOOK_EVERY_MS = 250;

/** Looks at commits all the time, also between steps. */
function watch({ commits }: Storm): { end: () => Promise<void> } {
  let isRunning = true;
  async function run(): Promise<void> {
    while (isRunning) {
      // The broker can be away.
      await commits.look().catch(() => undefined);
      await sleep(LOOK_EVERY_MS);
    }
  }
  const running = run();
  return {
    async end() {
      isRunning = false;
      await running;
    },
  };
}
