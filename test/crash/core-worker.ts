import postgres from 'postgres';
import { createHandleOnce } from '../../src/index.ts';
import type { CrashPoint, WorkerOrder } from './core-worker-process.ts';

/** Handles one message in a process of its own, and dies where it was told to. */
const order = JSON.parse(process.argv[2] ?? '') as WorkerOrder;
const sql = postgres(order.url, { max: 2 });

function reach(point: CrashPoint): void {
  if (point !== order.dieAt) return;
  process.kill(process.pid, 'SIGKILL');
  // Not one statement more.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

const handleOnce = createHandleOnce({
  sql,
  scope: 'crash',
  maxDeaths: order.maxDeaths,
  onEvent({ type }) {
    if (type === 'claimed' || type === 'taken-over') reach('after-claim');
    if (type === 'succeeded') reach('after-settle');
  },
});

reach('before-claim');
const outcome = await handleOnce(order.key, 'body', async (_, attempt) => {
  await sql`insert into runs (message, attempt) values (${order.key}, ${attempt.number})`;
  reach('in-handler');
  const effectKey = order.keyedEffect ? attempt.childKey('effect') : null;
  await sql`
    insert into effects (message, effect_key) values (${order.key}, ${effectKey}) on conflict do nothing`;
  reach('after-effect');
  return 'done';
});
await sql.end();
process.stdout.write(JSON.stringify(outcome));
