import { setTimeout as sleep } from 'node:timers/promises';
import { crashPoints } from '../../../test/crash/sqs/settings.ts';
import { until } from '../../until.ts';
import { now } from '../now.ts';
import type { Scene } from '../scene.ts';

export const WORKERS = 3;

/** Handlers end between two faults: this many, so that there is something to hit. */
export const BETWEEN = 60;

export function startWorkers({ join }: Scene): void {
  for (let worker = 0; worker < WORKERS; worker += 1) join();
}

/** Workers are killed at moments of no choice, and others start in their place. */
export async function killAtRandom(scene: Scene, steps: number): Promise<undefined> {
  const { fleet, random, join, log } = scene;
  startWorkers(scene);
  for (let step = 1; step <= steps; step += 1) {
    await scene.progress(BETWEEN);
    await sleep(random() * 300);
    const worker = oneOf(scene);
    log(`step ${step} of ${steps}: worker ${worker} is killed`);
    await scene.during('killed', () => fleet.kill(worker), worker);
    join();
  }
}

/** One worker after the other is killed where it stands: at each point between receive and delete. */
export async function killAtPoints(scene: Scene, rounds: number): Promise<undefined> {
  const { fleet, faults, random, join, log } = scene;
  startWorkers(scene);
  for (let round = 1; round <= rounds; round += 1) {
    for (const point of crashPoints) {
      await scene.progress(BETWEEN / 3);
      const worker = join({ standsAt: { point, message: 1 + Math.floor(random() * 10) } });
      const reached = () =>
        fleet.reports.find((one) => one.worker === worker && one.report.type === 'reached')?.report.at;
      await until(`worker ${worker} is at ${point}`, () => reached() !== undefined);
      log(`round ${round} of ${rounds}: worker ${worker} is killed at ${point}`);
      await fleet.kill(worker);
      // From where it stood on it has done nothing.
      faults.push({ kind: 'killed', worker, from: reached() ?? now(), until: now() });
    }
  }
}

/** Workers stand still until their leases have lapsed, and go on. */
export async function standStill(scene: Scene, steps: number): Promise<undefined> {
  const { fleet, random, log } = scene;
  startWorkers(scene);
  for (let step = 1; step <= steps; step += 1) {
    await scene.progress(BETWEEN);
    await sleep(random() * 300);
    const worker = oneOf(scene);
    const seconds = 4 + random() * 4;
    log(`step ${step} of ${steps}: worker ${worker} stands still for ${seconds.toFixed(1)} s`);
    await scene.during(
      'stopped',
      async () => {
        fleet.stop(worker);
        await sleep(seconds * 1_000);
        fleet.go(worker);
      },
      worker,
    );
  }
}

export function oneOf({ fleet, random }: Scene): number {
  const alive = fleet.alive();
  return alive[Math.floor(random() * alive.length)] ?? 0;
}
