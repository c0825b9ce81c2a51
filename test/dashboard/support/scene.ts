import { createHandleOnce, TerminalError } from 'handle-once';
import { maintain } from 'handle-once/operations';
import type postgres from 'postgres';

export const SCOPE = 'billing';

/** A message whose worker died, and whose next attempt threw. */
export const TWICE = 'order-1001';
export const FAILED = 'order-1002';
export const STEPPED = 'order-1003';
/** Without a record: it was forgotten. */
export const TIMED_OUT = 'order-1006';

/** How many messages one bug has failed. */
export const BROKEN = 12;

class GatewayError extends Error {
  override readonly name = 'GatewayError';
}

/** Records in every phase, attempts that ended badly in every way, and a day of events. */
export async function fillScene(sql: postgres.Sql): Promise<void> {
  const handleOnce = createHandleOnce({ sql, scope: SCOPE, stats: true, leaseMs: 60_000 });
  for (let order = 1; order <= 40; order += 1)
    await handleOnce(`order-${order}`, { order }, () => ({ paid: order }));
  await handleOnce('order-1', { order: 1 }, () => ({ paid: 1 }));
  await handleOnce(FAILED, {}, () => {
    throw new TerminalError('the card was refused');
  });
  for (let invoice = 1; invoice <= BROKEN; invoice += 1) {
    await handleOnce.inScope('invoices')(`invoice-${invoice}`, {}, () => {
      throw new TerminalError("Cannot read properties of undefined (reading 'total')");
    });
  }
  const carrier = createHandleOnce({ sql, scope: 'carrier', maxAttempts: 1 });
  for (const [shipment, code] of ['ECONNREFUSED', 'ECONNREFUSED', undefined].entries()) {
    await carrier(`shipment-${shipment}`, {}, () => {
      throw Object.assign(new Error('the carrier is away'), code === undefined ? {} : { code });
    });
  }
  await carrier.close();
  await handleOnce('order-41', {}, () => {
    throw new GatewayError('502 from the gateway');
  });
  await handleOnce(STEPPED, {}, async (_, attempt) => {
    await attempt.step('summary', () => 'short');
    await attempt.step('charge', () => ({ id: 'ch_1' }));
    throw new GatewayError('the mail gateway gave no answer');
  });
  await handleOnce.close();
  await addDeadWorker(sql);
  await addDay(sql);
  await maintain({ sql });
}

/** What a process that was killed leaves: a record with a lapsed lease, and one that another process took over. */
async function addDeadWorker(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
insert into handle_once.workers (id, host, pid, version, started_at, seen_at)
values ('0badc0de', 'worker-2', 4242, '0.1.0', now() - interval '5 hours', now() - interval '1 hour');
insert into handle_once.records (live_until, created_at, began_at, token, attempts, owned, state, scope, key, fingerprint)
values
  (now() - interval '3 minutes', now() - interval '4 minutes', now() - interval '4 minutes',
   '0badc0de-0000-4000-8000-000000000001', 1, true, 'pending', '${SCOPE}', 'order-1004', ''),
  (now() - interval '20 days', now() - interval '21 days', now() - interval '21 days',
   '0badc0de-0000-4000-8000-000000000002', 1, false, 'pending', '${SCOPE}', 'order-1005', '');
insert into handle_once.records (live_until, created_at, began_at, token, attempts, failures, owned, state, scope, key, fingerprint, result)
values (now() + interval '20 days', now() - interval '50 minutes', now() - interval '44 minutes',
   '0badc0de-0000-4000-8000-000000000003', 3, 1, false, 'succeeded', '${SCOPE}', '${TWICE}', '', '{"paid":1001}');
insert into handle_once.failures (ended_at, took_ms, attempt, scope, key, ending, worker, error)
values
  (now() - interval '49 minutes', null, 1, '${SCOPE}', '${TWICE}', 'died', '0badc0de', null),
  (now() - interval '45 minutes', 1200, 2, '${SCOPE}', '${TWICE}', 'released', '0badc0de',
   '{"name":"GatewayError","message":"502 from the gateway"}'),
  (now() - interval '3 minutes', 400, 1, '${SCOPE}', '${TIMED_OUT}', 'released', '0badc0de',
   '{"name":"AbortError","message":"aborted","cause":{"name":"TimeoutError","message":"the attempt took longer than 400 ms"}}');
`);
}

/** Events of a day: more of them at noon, and a failure now and then. */
async function addDay(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
insert into handle_once.stats (minute, count, scope, event)
select date_trunc('minute', now()) - m * interval '1 minute', c.count, '${SCOPE}', c.event
from generate_series(1, 1439) as m
cross join lateral (values
  ('claimed', 40 + (30 * sin(m / 100.0))::integer + m % 7), ('replayed', 3 + m % 5),
  ('failed', case when m between 30 and 42 then 9 when m % 97 = 0 then 1 else 0 end),
  ('taken-over', case when m % 240 = 51 then 2 else 0 end), ('failures-dropped', case when m = 40 then 7 else 0 end)
) as c(event, count)
where c.count > 0
on conflict do nothing`);
}
