import { setTimeout as sleep } from 'node:timers/promises';
import type { Act, Scene } from '../scene.ts';
import { BETWEEN, startWorkers } from './workers.ts';

/** Something is in the way of the queue for a while, again and again. */
export function ofQueue(what: string, fault: (scene: Scene) => Promise<void>): Act {
  return async (scene, steps) => {
    startWorkers(scene);
    for (let step = 1; step <= steps; step += 1) {
      await scene.progress(BETWEEN);
      scene.log(`step ${step} of ${steps}: ${what}`);
      await scene.during('queue', () => fault(scene));
    }
    return undefined;
  };
}

export async function killQueue({ queue, random }: Scene): Promise<void> {
  await queue.kill();
  await sleep(random() * 2_000);
  await queue.restart();
}

export async function cutWay({ toQueue, random }: Scene): Promise<void> {
  await toQueue.cut();
  // Now and then for longer than messages stay invisible.
  await sleep(random() * 8_000);
  await toQueue.mend();
}

export async function swallow({ toQueue }: Scene): Promise<void> {
  toQueue.silence();
  await sleep(1_000);
}

export async function delayAnswers({ toQueue, random }: Scene): Promise<void> {
  toQueue.delayReplies(random() * 7_000);
  await sleep(8_000);
  toQueue.delayReplies(0);
}
