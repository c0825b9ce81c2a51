import type { Outcome } from '../../../src/index.ts';
import type { Process } from '../actors/process.ts';
import type { Scene, Surface } from '../actors/surface.ts';
import type { Answer, Answering } from '../models/clients.ts';
import { isOfNeighbour, NEIGHBOUR_PREFIX, type Plan, type PlannedMessage } from '../plan/plan.ts';
import type { World } from '../world/world.ts';
import { openServers } from './servers.ts';

const FAULT = 'same key in another scope';

/** None where a process does not run between the messages of its surface. */
export function neighboursOf({ neighbours }: Plan, { lacks }: Surface): readonly PlannedMessage[] {
  return lacks.includes(FAULT) ? [] : neighbours;
}

/** A surface with calls of `handleOnce` in another scope, in the same processes and with their store. */
export function withNeighbour(world: World, scene: Scene): Scene {
  if (world.plan.neighbours.length === 0) return scene;
  const neighbour = openServers(world, false, (process) => createCaller(world, process));
  const sceneOf = ({ key = '' }: PlannedMessage): Scene => (isOfNeighbour(key) ? neighbour : scene);
  return {
    send(message) {
      if (sceneOf(message) === neighbour) world.tell({ type: 'fault', fault: FAULT, what: message.id });
      sceneOf(message).send(message);
    },
    start(process) {
      const workers = [scene.start(process), neighbour.start(process)];
      return { stop: () => Promise.all(workers.map((worker) => worker.stop())) };
    },
    hasEnded: (message) => sceneOf(message).hasEnded(message),
    redrive: scene.redrive?.bind(scene),
  };
}

function createCaller(world: World, { life, handleOnceBeside, handle }: Process): Answering {
  return async (message, { signal }) => {
    const key = message.key?.slice(NEIGHBOUR_PREFIX.length) ?? '';
    try {
      const run = (_: unknown, attempt: Parameters<typeof handle>[1]) => handle(message, attempt);
      const outcome = await handleOnceBeside(key, message.body, run, { signal });
      world.tellOutcome(life, message, outcome);
      return answerOf(outcome);
    } catch {
      return 'again';
    }
  };
}

function answerOf({ state }: Outcome<unknown>): Answer {
  if (state === 'succeeded') return 'done';
  return state === 'pending' ? 'again' : 'refused';
}
