import { randomBytes } from 'node:crypto';

/** The name of this process in the records, as 8 hexadecimal digits. */
export const WORKER_ID = randomBytes(4).toString('hex');

/** The process of a fencing token: tokens begin with its id, so that records need no column for it. */
export function workerOf(token: string): string {
  return token.slice(0, WORKER_ID.length);
}
