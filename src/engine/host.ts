import { type Clock, systemClock } from '../lib/clock.ts';
import { WORKER_ID } from '../lib/worker-id.ts';
import { createSuspectPlace } from './suspect-place.ts';

/** A lease that is kept. */
export interface KeptLease {
  /** Asks the database whose the record is, where only the wall clock says that the lease is over. */
  askIfDoubtful(): void;
}

export type Host = Readonly<ReturnType<typeof createHost>>;

/**
 * What a process gives to all engines in it: tests and the simulation make several. `workerId` is its name in the
 * records, and the beginning of its fencing tokens.
 */
/* @__NO_SIDE_EFFECTS__ */
export function createHost(clock: Clock, workerId: string) {
  return {
    clock,
    workerId,
    suspects: createSuspectPlace(clock),
    /** Of all engines: they have the same clocks. */
    leases: new Set<KeptLease>(),
  };
}

/** This process, whatever scopes and clients it has. */
export const thisProcess = createHost(systemClock, WORKER_ID);
