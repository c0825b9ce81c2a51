import type { CrashPoint } from '../../../../test/crash/sqs/settings.ts';
import type { WorkerSettings } from '../settings.ts';
import { report } from './report.ts';

export type Reach = (point: CrashPoint) => void;

/** Stands still where the settings say so: not one statement more, until the process is killed. */
export function createReach({ standsAt }: WorkerSettings): Reach {
  let messages = 0;
  return (point) => {
    if (point !== standsAt?.point) return;
    messages += 1;
    if (messages < standsAt.message) return;
    report({ type: 'reached', point });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
}
