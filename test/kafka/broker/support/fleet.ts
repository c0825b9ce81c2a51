import { fileURLToPath } from 'node:url';
import {
  type Fleet as AnyFleet,
  type FromWorker,
  startFleet as startAnyFleet,
} from '../../../support/fleet.ts';
import type { ChaosSettings, WorkerReport } from './chaos-settings.ts';

/** kafkajs 2.2.4 calls `unref` on a dead socket each time that it finds its broker away. */
const FLAGS = ['--disable-warning=MaxListenersExceededWarning'];
const PROGRAM = fileURLToPath(new URL('chaos-worker.ts', import.meta.url));

type Shared = Omit<ChaosSettings, 'worker'>;

export type TimedReport = FromWorker<WorkerReport>;

/** Consumers of one group, each in a process of its own. */
export interface Fleet extends Omit<AnyFleet<WorkerReport, Shared>, 'join'> {
  /** Starts a worker. Returns its number. */
  join(): number;
}

export function startFleet(shared: Shared): Fleet {
  const fleet = startAnyFleet<WorkerReport, Shared>(PROGRAM, FLAGS);
  return { ...fleet, join: () => fleet.join(shared) };
}
