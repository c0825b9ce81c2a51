import type { Warning } from '../../shared/warn.ts';
import type { KafkaWarning } from '../log/events.ts';

/** Threads of Node's pool, where the process does not say. */
const DEFAULT_THREADS = 4;
/** For files, DNS, and the calls of all workers. */
const SPARE = 2;

/** How many workers of this process wait for messages, each with a thread of the pool. */
let workers = 0;

/** Returns a warning where the pool has too few threads for one worker more. */
export function takeThread(): Warning<KafkaWarning> | undefined {
  workers += 1;
  const threads = Number.parseInt(process.env['UV_THREADPOOL_SIZE'] ?? String(DEFAULT_THREADS), 10);
  if (workers + SPARE <= threads) return undefined;
  const message =
    `${workers} workers on Confluent's client run in this process, and each keeps one of the ${threads} threads of ` +
    "Node's pool: file access, DNS and the workers have to share them. Start the process with " +
    `UV_THREADPOOL_SIZE=${workers + DEFAULT_THREADS}`;
  return { warning: 'THREADS_TOO_FEW', message };
}

export function giveThreadBack(): void {
  workers -= 1;
}
