import { type Clock, systemClock } from '../lib/clock.ts';
import { WORKER_ID } from '../lib/worker-id.ts';
import { createSuspectPlace, type SuspectPlace } from './suspect-place.ts';

/** What a process gives to all engines in it. */
export interface Host {
  readonly clock: Clock;
  /** What the process is called in the records: its fencing tokens begin with it. */
  readonly workerId: string;
  readonly suspects: SuspectPlace;
}

/** A process of its own: for tests and the simulation. */
/* @__NO_SIDE_EFFECTS__ */
export function createHost(clock: Clock, workerId: string): Host {
  return { clock, workerId, suspects: createSuspectPlace(clock) };
}

/** This process, whatever scopes and clients it has. */
export const thisProcess = createHost(systemClock, WORKER_ID);
