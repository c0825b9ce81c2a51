import { setTimeout as sleep } from 'node:timers/promises';
import { crashPoints } from '../../../../test/crash/sqs/settings.ts';
import { until } from '../../until.ts';
import { now } from '../now.ts';
import type { Act, Scene } from '../scene.ts';

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

const LONGEST_TAKEOVER_MS = 60_000;

/** Workers are frozen in the middle of handlers until others run the same messages, and go on. */
export const standStill: Act = async (scene, steps) => {
  const { random, log } = scene;
  let taken = 0;
  startWorkers(scene);
  for (let step = 1; step <= steps; step += 1) {
    await scene.progress(BETWEEN);
    const worker = oneOf(scene);
    const inHand = await freeze(scene, worker);
    log(`step ${step} of ${steps}: worker ${worker} is frozen with ${inHand.size} in flight`);
    await scene.during(
      'stopped',
      async () => {
        // No other worker takes over a message that this one has finished, and whose report is still on its way.
        const isTaken = () => begunElsewhere(scene, worker, inHand) > 0;
        await until('others take over', isTaken, LONGEST_TAKEOVER_MS).catch(() => undefined);
        await sleep(random() * 2_000);
        taken += begunElsewhere(scene, worker, inHand);
        scene.fleet.go(worker);
      },
      worker,
    );
  }
  return [{ rule: 'others take over what is in flight', looked: taken, violations: [] }];
};

/** Stops a worker that has messages in flight, and returns them. */
async function freeze({ fleet }: Scene, worker: number): Promise<ReadonlySet<number>> {
  let inHand = new Set<number>();
  await until('a worker with messages in flight', async () => {
    fleet.stop(worker);
    // What it has written is still on its way.
    await sleep(100);
    inHand = openMessages(fleet.reports, worker);
    if (inHand.size === 0) fleet.go(worker);
    return inHand.size > 0;
  });
  return inHand;
}

function openMessages(reports: Scene['fleet']['reports'], of: number): Set<number> {
  const open = new Set<number>();
  for (const { worker, report } of reports) {
    if (worker !== of) continue;
    if (report.type === 'began') open.add(report.message);
    if (report.type === 'ended') open.delete(report.message);
  }
  return open;
}

/** How many of the messages another worker has begun last. */
function begunElsewhere({ fleet }: Scene, of: number, messages: ReadonlySet<number>): number {
  const lastBegun = new Map<number, number>();
  for (const { worker, report } of fleet.reports) {
    if (report.type === 'began' && messages.has(report.message)) lastBegun.set(report.message, worker);
  }
  return [...lastBegun.values()].filter((worker) => worker !== of).length;
}

export function oneOf({ fleet, random }: Scene): number {
  const alive = fleet.alive();
  return alive[Math.floor(random() * alive.length)] ?? 0;
}
