import { type Clock, systemClock } from '../lib/clock.ts';
import { WORKER_ID } from '../lib/worker-id.ts';
import { createSuspectPlace, type SuspectPlace } from './suspect-place.ts';

/** A lease that is kept. */
export interface KeptLease {
  /** Asks the database whose the record is, where only the wall clock says that the lease is over. */
  askIfDoubtful(): void;
}

/** What a process gives to all engines in it. */
export interface Host {
  readonly clock: Clock;
  /** What the process is called in the records: its fencing tokens begin with it. */
  readonly workerId: string;
  readonly suspects: SuspectPlace;
  /** Those of all engines: they have the same clocks. */
  readonly leases: Set<KeptLease>;
}

/** A process of its own: for tests and the simulation. */
/* @__NO_SIDE_EFFECTS__ */
export function createHost(clock: Clock, workerId: string): Host {
  return { clock, workerId, suspects: createSuspectPlace(clock), leases: new Set() };
}

/** This process, whatever scopes and clients it has. */
export const thisProcess = createHost(systemClock, WORKER_ID);
