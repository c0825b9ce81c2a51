import type { Fault } from '../facts/names.ts';
import type { Database } from '../models/database.ts';
import type { Incident } from '../plan/plan.ts';
import type { World } from '../world/world.ts';
import type { WorkerSlot } from './worker-slot.ts';

/** Lets happen what the plan has for workers and records. */
export function scheduleIncidents(world: World, database: Database, slots: readonly WorkerSlot[]): void {
  for (const incident of world.plan.incidents) {
    world.scheduler.after(incident.at, () => {
      if ('key' in incident) operate(database, incident);
      else befall(world, slots[incident.worker], incident);
    });
  }
}

function operate(database: Database, { what, key }: Extract<Incident, { key: string }>): void {
  if (what === 'retry') database.retryAny();
  else database.forget(key);
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
      tellFault('process stood still', `for ${Math.round(incident.ms)} ms`);
      life.standStill(incident.ms);
      break;
    case 'suspension':
      tellFault('machine suspended', `for ${Math.round(incident.ms)} ms`);
      life.suspend(incident.ms);
      break;
    case 'clock change':
      tellFault('wall clock set', `by ${Math.round(incident.ms)} ms`);
      life.setWallClock(incident.ms);
      break;
  }
}
