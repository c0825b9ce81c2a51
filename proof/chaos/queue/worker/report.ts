import { now } from '../now.ts';
import type { WorkerReport } from '../settings.ts';

type Untimed<Report> = Report extends unknown ? Omit<Report, 'at'> : never;

/** Is with the parent when it returns: the worker can be killed at the next moment. */
export function report(what: Untimed<WorkerReport>): void {
  process.send?.({ ...what, at: now() });
}

const LOOK_EVERY_MS = 50;
const STANDS_STILL_MS = 250;

/** Reports when the event loop was blocked: the process was stopped, or got no time of the machine. */
export function reportStandstills(): void {
  let last = now();
  setInterval(() => {
    const from = last;
    last = now();
    if (last - from > STANDS_STILL_MS) report({ type: 'stood-still', from });
  }, LOOK_EVERY_MS).unref();
}
