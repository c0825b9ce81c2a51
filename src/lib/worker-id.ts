import { randomBytes } from 'node:crypto';

/** What this process is called in the records, as 8 hexadecimal digits. */
export const WORKER_ID = randomBytes(4).toString('hex');

/** The process that a fencing token is of: its tokens begin with its id, which so costs a record nothing. */
export function workerOf(token: string): string {
  return token.slice(0, WORKER_ID.length);
}
