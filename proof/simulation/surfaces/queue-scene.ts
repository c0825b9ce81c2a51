import type { Process } from '../actors/process.ts';
import type { Scene, Worker } from '../actors/surface.ts';
import type { Database } from '../models/database.ts';
import { Queue } from '../models/queue.ts';
import type { PlannedMessage } from '../plan/plan.ts';
import type { World } from '../world/world.ts';

/** Starts in a process what receives from a queue. */
export type StartAtQueue = (world: World, queue: Queue, process: Process) => Worker;

/** A queue, and processes that receive from it. */
export function openQueue(world: World, database: Database, start: StartAtQueue): Scene {
  const queue = new Queue(world);
  return {
    send: (message) => {
      queue.send(message);
    },
    start: (process) => start(world, queue, process),
    redrive: () => {
      queue.redriveOne((message) => {
        database.retry(message.key ?? '');
      });
    },
    hasEnded: (message) => hasEnded(world, database, queue, message),
  };
}

/** Whether nothing more will become of a message: it is gone, or it stays in the queue for good. */
function hasEnded(world: World, database: Database, queue: Queue, message: PlannedMessage): boolean {
  const { onFailed, maxReceiveCount } = world.plan.settings;
  if (queue.isGone(message)) return true;
  if (maxReceiveCount !== undefined) return false;
  const isRefusedForGood = onFailed !== 'dead-letter' && isRefused(world, database, queue, message);
  return isRefusedForGood || (onFailed === 'keep' && hasFailed(database, message));
}

/** The record is of another payload, and nothing comes any more that could change that. */
function isRefused(
  { plan }: World,
  database: Database,
  queue: Queue,
  { key, fingerprint }: PlannedMessage,
): boolean {
  if (key === undefined) return true;
  const record = database.recordOf(key);
  if (record === undefined || record.fingerprint === fingerprint) return false;
  const mayGoOn = (other: PlannedMessage): boolean =>
    other.key === key && other.fingerprint === record.fingerprint && !queue.isGone(other);
  return record.state !== 'pending' || !plan.messages.some(mayGoOn);
}

function hasFailed(database: Database, { key = '' }: PlannedMessage): boolean {
  return database.recordOf(key)?.state === 'failed';
}
