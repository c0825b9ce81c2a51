import { randomUUID } from 'node:crypto';
import { createHandleOnce, type HandleOnce } from 'handle-once';
import { explainRecord, forgetStep, retryRecord, showRecord } from 'handle-once/operations';
import postgres from 'postgres';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createPostgresStore } from '../../src/store/postgres/index.ts';
import { useDatabase } from '../support/database.ts';
import { gate } from '../support/gate.ts';

const { sql, url } = useDatabase();
const scope = 'billing';
const key = 'order-7';
const record = { sql, scope, key };

let ran: string[];
let handleOnce: HandleOnce;

beforeEach(async () => {
  await sql`delete from handle_once.records`;
  ran = [];
  handleOnce = createHandleOnce({ sql, scope, maxAttempts: 1 });
});

/** A message with two steps, which fails permanently when `last` does. */
function handle(last: () => unknown = () => 'done') {
  return handleOnce(key, 'body', async (_, { step }) => {
    await step('summary', () => ran.push('summary'));
    await step('image', () => {
      ran.push('image');
      return new Map();
    });
    return await last();
  });
}

function fail(): never {
  throw new Error('the provider is down');
}

describe('The steps of a record', () => {
  test('are shown and explained with their times, and without results', async () => {
    await handle(fail);
    const shown = await showRecord(record);
    expect(shown?.steps).toEqual([
      { name: 'summary', endedAt: expect.any(Date) as Date },
      { name: 'image', endedAt: expect.any(Date) as Date, resultOmitted: 'not-serializable' },
    ]);
    const [first, second] = shown?.steps ?? [];
    expect(first?.endedAt.getTime()).toBeGreaterThanOrEqual(shown?.createdAt.getTime() ?? Infinity);
    expect(second?.endedAt.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
    expect((await explainRecord(record)).record?.steps).toEqual(shown?.steps);
  });

  test('have times that a claim which waited for a connection does not move', async () => {
    const client = postgres(url, { max: 1, onnotice: () => undefined });
    onTestFinished(() => client.end({ timeout: 5 }));
    handleOnce = createHandleOnce({ sql: client, scope, maxAttempts: 1 });
    await client`select 1`;
    const other = client`select pg_sleep(2)`.execute();
    await handle(fail);
    await other;
    const { createdAt, steps } = (await showRecord(record)) ?? {};
    const waited = (steps?.[0]?.endedAt.getTime() ?? Infinity) - (createdAt?.getTime() ?? 0);
    expect(waited).toBeLessThan(1_500);
  });

  test('are gone once it has succeeded', async () => {
    await handle();
    expect(await showRecord(record)).not.toHaveProperty('steps');
  });

  test('that are damaged are left out', async () => {
    await handle(fail);
    await sql`update handle_once.records set steps = '{"summary"'`;
    expect(await showRecord(record)).not.toHaveProperty('steps');
    await expect(forgetStep({ ...record, step: 'summary' })).rejects.toMatchObject({
      code: 'DAMAGED_RECORD',
    });
  });
});

describe('A retry', () => {
  test('goes on behind the steps that have ended', async () => {
    await handle(fail);
    await retryRecord(record);
    // What asks for the result of the second one fails: it is not on record.
    const outcome = await handleOnce(key, 'body', (_, { step }) => step('summary', () => ran.push('again')));
    expect(outcome).toMatchObject({ state: 'succeeded', result: 1 });
    expect(ran).toEqual(['summary', 'image']);
  });
});

describe('A step', () => {
  test('that is forgotten runs again, and no other', async () => {
    await handle(fail);
    expect(await forgetStep({ ...record, step: 'image' })).toEqual({ state: 'forgotten' });
    await retryRecord(record);
    expect(await handle()).toMatchObject({ state: 'succeeded' });
    expect(ran).toEqual(['summary', 'image', 'image']);
  });

  test('that is forgotten does not come back with a late write of the attempt that lost its lease', async () => {
    await sql`delete from handle_once.records`;
    const steps = '{"summary":{"ms":1},"image":{"ms":2}}';
    const token = randomUUID();
    await sql`
      insert into handle_once.records
        (scope, key, token, fingerprint, state, owned, attempts, created_at, live_until, steps)
      values (${scope}, ${key}, ${token}, '', 'pending', true, 1, now(), now() - interval '1 s', ${steps})`;
    expect(await forgetStep({ ...record, step: 'image' })).toEqual({ state: 'forgotten' });
    const late = await createPostgresStore(sql, 'handle_once').keep?.([{ key, token, steps }], scope);
    expect(late).toEqual(['lost']);
    const shown = await showRecord(record);
    expect(shown).toMatchObject({ phase: 'lapsed', steps: [{ name: 'summary' }], worker: token.slice(0, 8) });
  });

  test('of another name, and of no record, is absent', async () => {
    expect(await forgetStep({ ...record, step: 'image' })).toEqual({ state: 'absent' });
    await handle(fail);
    expect(await forgetStep({ ...record, step: 'no such step' })).toEqual({ state: 'absent' });
  });

  test('of a running attempt is not forgotten', async () => {
    const started = gate();
    const mayEnd = gate();
    const handled = handle(async () => {
      started.open();
      await mayEnd.opened;
    });
    await started.opened;
    expect(await forgetStep({ ...record, step: 'summary' })).toEqual({ state: 'running' });
    mayEnd.open();
    expect(await handled).toMatchObject({ state: 'succeeded' });
  });

  test('whose record changes meanwhile is looked at again', async () => {
    await handle(fail);
    const forgotten = await Promise.all(['summary', 'image'].map((step) => forgetStep({ ...record, step })));
    expect(forgotten).toEqual([{ state: 'forgotten' }, { state: 'forgotten' }]);
    expect((await showRecord(record))?.steps).toEqual([]);
  });

  test('without a name is refused', async () => {
    await expect(forgetStep({ ...record, step: '' })).rejects.toThrow('forgetStep: step: must not be empty');
  });
});
