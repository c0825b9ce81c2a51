import type { Fault } from '../facts/names.ts';
import type { Database } from '../models/database.ts';
import type { Incident } from '../plan/plan.ts';
import type { World } from '../world/world.ts';
import type { Scene } from './surface.ts';
import type { WorkerSlot } from './worker-slot.ts';

/** Lets happen what the plan has for workers and records. */
export function scheduleIncidents(
  world: World,
  database: Database,
  scene: Scene,
  slots: readonly WorkerSlot[],
): void {
  for (const incident of world.plan.incidents) {
    world.scheduler.after(incident.at, () => {
      if (!('worker' in incident)) operate(database, scene, incident);
      else befall(world, slots[incident.worker], incident);
    });
  }
}

function operate(database: Database, scene: Scene, incident: Exclude<Incident, { worker: number }>): void {
  switch (incident.what) {
    case 'retry':
      database.retryAny();
      break;
    case 'forget':
      database.forget(incident.key);
      break;
    case 'purge':
      database.purge();
      break;
    case 'redrive':
      scene.redrive?.();
      break;
    case 'database clock':
      database.setClock(incident.ms);
      break;
  }
}

function befall(
  world: World,
  slot: WorkerSlot | undefined,
  incident: Extract<Incident, { worker: number }>,
): void {
  if (slot?.life.isAlive !== true) return;
  const { life } = slot;
  const tellFault = (fault: Fault, what = ''): void => {
    world.tell({ type: 'fault', fault, life, what });
  };
  switch (incident.what) {
    case 'death':
      tellFault('process died');
      slot.die();
      break;
    case 'deployment':
      slot.deploy();
      break;
    case 'standstill':
      tellFault('process was frozen', `for ${Math.round(incident.ms)} ms`);
      life.standStill(incident.ms);
      break;
    case 'suspension':
      tellFault('machine suspended', `for ${Math.round(incident.ms)} ms`);
      life.suspend(incident.ms);
      break;
    case 'pause':
      tellFault('machine paused with its clocks', `for ${Math.round(incident.ms)} ms`);
      life.pause(incident.ms);
      break;
    case 'clock change':
      tellFault('wall clock set', `by ${Math.round(incident.ms)} ms`);
      life.setWallClock(incident.ms);
      break;
  }
}
