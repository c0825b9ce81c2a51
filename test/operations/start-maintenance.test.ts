import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidOptionsError } from 'handle-once';
import {
  type MaintenanceEvent,
  startMaintenance,
  type StartMaintenanceOptions,
} from 'handle-once/operations';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

const { sql } = useDatabase();

beforeEach(async () => {
  await sql`truncate handle_once.records, handle_once.maintenance, handle_once.census`;
});

function start(options: Partial<StartMaintenanceOptions> = {}) {
  const events: MaintenanceEvent[] = [];
  const onEvent = (event: MaintenanceEvent) => events.push(event);
  const maintenance = startMaintenance({ sql, onEvent, ...options });
  onTestFinished(() => maintenance.stop());
  return { maintenance, events };
}

async function record(key: string, state: string, age: string): Promise<void> {
  await sql`
    insert into handle_once.records (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at)
    values ('billing', ${key}, gen_random_uuid(), '', ${state}, false, 1, now() - ${age}::interval, now())`;
}

test('walks at once, reports what is abandoned, and walks again when the time has come', async () => {
  await record('expired', 'succeeded', '1 second');
  await record('abandoned', 'pending', '15 days');
  await record('answers', 'succeeded', '-1 day');
  const { events, maintenance } = start({ everyMs: 1_000 });
  await until(() => events.length >= 2);
  expect(events.slice(0, 2)).toEqual([
    { type: 'maintained', purged: 1, records: 2, abandoned: 1 },
    { type: 'abandoned', abandoned: 1, scopes: ['billing'] },
  ]);
  await record('late', 'failed', '1 second');
  await until(() =>
    events.some((event) => event.type === 'maintained' && event.purged === 1 && event !== events[0]),
  );
  expect(maintenance.counts().maintained).toBeGreaterThanOrEqual(2);
});

test('names the ten scopes in which most is abandoned', async () => {
  await sql`
    insert into handle_once.records (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at)
    select 'scope ' || n, m::text, gen_random_uuid(), '', 'pending', false, 1, now() - interval '15 days', now()
    from generate_series(1, 12) n, generate_series(1, n) m`;
  const { events } = start();
  await until(() => events.length >= 2);
  const scopes = [12, 11, 10, 9, 8, 7, 6, 5, 4, 3].map((n) => `scope ${n}`);
  expect(events[1]).toEqual({ type: 'abandoned', abandoned: 78, scopes });
});

test('in several processes walks once in that time', async () => {
  const both = [start(), start()];
  await until(() => both.some(({ events }) => events.length > 0));
  await both[0]?.maintenance.stop();
  await both[1]?.maintenance.stop();
  const third = start();
  await third.maintenance.stop();
  expect([...both, third].flatMap(({ events }) => events)).toHaveLength(1);
});

test('a stop ends a walk, and the next start goes on from there', async () => {
  await sql`
    insert into handle_once.records (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at)
    select 'billing', n::text, gen_random_uuid(), '', 'succeeded', false, 1, now(), now()
    from generate_series(1, 20000) n`;
  const first = start();
  await until(async () => (await sql`select from handle_once.records limit 20000`).length < 20_000);
  await first.maintenance.stop();
  expect(first.events).toEqual([]);
  const second = start();
  await until(() => second.events.length > 0);
  expect(second.events).toEqual([{ type: 'maintained', purged: 20_000, records: 0, abandoned: 0 }]);
});

test('a database that refuses is reported, and asked again', async () => {
  const { events } = start({ databaseSchema: 'not_there', everyMs: 1_000 });
  await until(() => events.length >= 2);
  expect(events[0]).toMatchObject({ type: 'maintenance-error', error: { code: 'SCHEMA' } });
});

test('is not asked again after a stop', async () => {
  const { events, maintenance } = start({ databaseSchema: 'not_there', everyMs: 1_000 });
  await maintenance.stop();
  await sleep(1_100);
  expect(events).toHaveLength(1);
});

test('a history that cannot be deleted is reported, and the walk is on record', async () => {
  await sql`alter table handle_once.workers rename to lost`;
  onTestFinished(async () => {
    await sql`alter table handle_once.lost rename to workers`;
  });
  const { events } = start();
  await until(() => events.length >= 2);
  expect(events).toMatchObject([{ type: 'maintained' }, { type: 'maintenance-error' }]);
});

test.each([
  ['everyMs', 1],
  ['onEvent', {}],
  ['logger', {}],
  ['sql', {}],
])('a wrong %s is refused by name', (field, value) => {
  expect(() => startMaintenance({ sql, [field]: value })).toThrow(InvalidOptionsError);
  expect(() => startMaintenance({ sql, [field]: value })).toThrow(`startMaintenance: ${field}: must be`);
});
