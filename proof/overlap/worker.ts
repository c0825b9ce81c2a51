/** A worker of a storm: handles messages in an order of its own, many at once, until it has made its calls. */
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { createHandleOnce, type HandleOnce } from '../../src/index.ts';
import { Random } from '../simulation/time/random.ts';
import { EXPIRING, EXPIRING_MS, KEPT, keysFor, LEASE_MS, type Share, type Task } from './task.ts';

const [task] = (await once(process, 'message')) as [Task];
const random = new Random(task.seed);
const sql = postgres(task.databaseUrl, { max: 10, onnotice: () => undefined });

let statements = 0;
let requests = 0;
subscribe('handle-once:statement', (published) => {
  const { verb, messages } = published as { readonly verb: string; readonly messages: number };
  if (verb === 'extend') return;
  statements += 1;
  requests += messages;
});

function open(scope: string, retentionMs: number): HandleOnce {
  const limits = { maxAttempts: 1_000, maxDeaths: 1_000, backoff: () => 0 };
  const retention = { succeededRetentionMs: retentionMs, failedRetentionMs: retentionMs };
  return createHandleOnce({
    ...{ sql, scope, leaseMs: LEASE_MS, ...limits, ...retention },
    onEvent: () => undefined,
  });
}

const kept = open(KEPT, 86_400_000);
const expiring = open(EXPIRING, EXPIRING_MS);
const keys = keysFor(task.calls);
/** How far apart the keys in flight are. */
const WINDOW = 500;

async function work(): Promise<void> {
  const lot = random.next();
  if (lot < 0.05) throw new Error('later');
  if (lot < 0.2) await sleep(random.between(1, 300));
}

async function lane(): Promise<void> {
  while (left > 0) {
    left -= 1;
    const handleOnce = random.chance(0.5) ? kept : expiring;
    // All workers go through the keys at about the same time, and so meet at each.
    const done = (task.calls - left) / task.calls;
    const key = `message-${1 + ((Math.floor(done * keys) + random.whole(0, WINDOW)) % keys)}`;
    await handleOnce(key, key, work).catch(() => undefined);
  }
}

let left = task.calls;
await Promise.all(Array.from({ length: task.inFlight }, lane));
// What failed, or was in another worker's hand, comes again, as from a broker.
for (let key = 1; key <= keys; key += task.inFlight) {
  const some = Array.from(
    { length: Math.min(task.inFlight, keys - key + 1) },
    (_, index) => `message-${key + index}`,
  );
  await Promise.all(some.map((each) => untilOver(each)));
}

async function untilOver(key: string): Promise<void> {
  for (;;) {
    const outcome = await kept(key, key, () => undefined).catch(() => undefined);
    if (outcome !== undefined && outcome.state !== 'pending') return;
    await sleep(random.between(50, 200));
  }
}

const [ofKept, ofExpiring] = [kept.counts(), expiring.counts()];
const both = (type: keyof typeof ofKept): number => (ofKept[type] ?? 0) + (ofExpiring[type] ?? 0);
const share: Share = {
  calls: task.calls,
  ...{ statements, requests },
  takeovers: both('taken-over'),
  zombies: both('lease-lost'),
  succeeded: ofKept.succeeded ?? 0,
  unrecorded: ofKept.unrecorded ?? 0,
  failed: both('store-error'),
};
process.send?.(share);
await sql.end({ timeout: 5 });
process.disconnect();
