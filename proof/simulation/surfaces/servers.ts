import type { Process } from '../actors/process.ts';
import type { Scene } from '../actors/surface.ts';
import { type Answering, Clients } from '../models/clients.ts';
import type { World } from '../world/world.ts';

/** Processes that serve requests of clients. */
export function openServers(
  world: World,
  canForge: boolean,
  answeringOf: (process: Process) => Answering,
): Scene {
  const clients = new Clients(world, canForge);
  return {
    send: (message) => {
      clients.send(message);
    },
    start: (process) => clients.serve(process.life, answeringOf(process)),
    hasEnded: (message) => clients.hasEnded(message),
  };
}
