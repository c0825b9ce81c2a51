import { DamagedRecordError, type HandleOnce, HandleOnceError, TerminalError } from 'handle-once';
import { describe, expect, it, vi } from 'vitest';
import { toReply } from '../../src/store/postgres/claim-reply.ts';
import { toEventError } from '../../src/reporting/event-error.ts';
import { usePostgresBench } from './support/bench.ts';

const bench = usePostgresBench();
const { sql } = bench.database;

const terminal = (): never => {
  throw new TerminalError('never');
};
const retryable = (): never => {
  throw new Error('not now');
};

type Column = 'result' | 'error';

const STATES: [state: string, column: Column, reach: (handleOnce: HandleOnce) => Promise<unknown>][] = [
  ['succeeded', 'result', (handleOnce) => handleOnce('key "1"', 'body', () => 'done')],
  ['failed', 'error', (handleOnce) => handleOnce('key "1"', 'body', terminal)],
  ['released', 'error', (handleOnce) => handleOnce('key "1"', 'body', retryable)],
];

async function damage(column: Column, text: string): Promise<void> {
  await sql`update handle_once.records set ${sql(column)} = ${text}`;
}

describe.each(STATES)('A %s record whose %s is not what was written', (_, column, reach) => {
  it.each([
    '{"secret":',
    '',
    'secret',
    ...(column === 'error' ? ['null', '"secret"', '{"name":"secret"}', '{"message":"secret"}'] : []),
  ])('throws a typed error (%j), nothing runs, and the row stays as it is', async (text) => {
    const events: unknown[] = [];
    const handleOnce = bench.handleOnce({ backoff: () => 60_000, onEvent: (event) => events.push(event) });
    await reach(handleOnce);
    await damage(column, text);
    events.length = 0;
    const before = await sql`select * from handle_once.records`;
    const handler = vi.fn();

    const thrown: unknown = await handleOnce('key "1"', 'body', handler).catch((error: unknown) => error);

    const { scope } = handleOnce.settings;
    expect(thrown).toBeInstanceOf(DamagedRecordError);
    expect(thrown).toBeInstanceOf(HandleOnceError);
    expect(thrown).toMatchObject({ code: 'DAMAGED_RECORD', retriable: false, scope, key: 'key "1"' });
    expect(String(thrown)).toContain(String.raw`key "key \"1\"" in scope "${scope}"`);
    expect(String(thrown)).toContain(`its ${column}`);
    expect(String(thrown)).not.toContain('secret');
    expect(thrown).not.toHaveProperty('cause');
    expect(handler).not.toHaveBeenCalled();
    expect(events).toEqual([
      {
        ...{ type: 'store-error', scope, key: 'key "1"', verb: 'claim', error: toEventError(thrown) },
        ...{ state: 'pending', attempts: 1, durationMs: expect.any(Number) as number },
      },
    ]);
    expect(await sql`select * from handle_once.records`).toEqual(before);
    await sql`delete from handle_once.records`;
  });
});

it('A damaged error does not keep a message from its next attempt', async () => {
  const handleOnce = bench.handleOnce({ backoff: () => 0 });
  await handleOnce('key', 'body', retryable);
  await damage('error', '{');
  expect(await handleOnce('key', 'body', () => 'done')).toMatchObject({ state: 'succeeded', attempts: 2 });
});

it.each([
  '{',
  'null',
  '[]',
  '"secret"',
  '{"charge":5}',
  '{"charge":null}',
  '{"mail":{"ms":1,"omitted":"x"}}',
])('Damaged steps (%j) run no step', async (text) => {
  const handleOnce = bench.handleOnce({ backoff: () => 0, maxAttempts: 2 });
  await handleOnce('key', 'body', retryable);
  await sql`update handle_once.records set steps = ${text}`;
  const step = vi.fn();
  const outcome = await handleOnce('key', 'body', (_, attempt) => attempt.step('mail', step));
  expect(outcome).toMatchObject({ state: 'failed', error: { code: 'DAMAGED_RECORD' } });
  expect(JSON.stringify(outcome)).not.toContain('secret');
  expect(step).not.toHaveBeenCalled();
  await sql`delete from handle_once.records`;
});

it('A damaged record ends no call where it is looked up', async () => {
  const events: unknown[] = [];
  const handleOnce = bench.handleOnce({ onEvent: (event) => events.push(event) });
  await handleOnce('damaged', 'body', () => 'done');
  await damage('result', '{');
  events.length = 0;
  const thrown: unknown = await handleOnce.lookup('damaged').catch((error: unknown) => error);
  const { scope } = handleOnce.settings;
  expect(thrown).toMatchObject({ code: 'DAMAGED_RECORD', scope, key: 'damaged' });
  expect(events).toEqual([
    { type: 'store-error', scope, key: 'damaged', verb: 'lookup', error: toEventError(thrown) },
  ]);
});

describe('A record in a state that this version does not know', () => {
  async function parked(): Promise<HandleOnce> {
    const handleOnce = bench.handleOnce();
    await handleOnce('parked', 'body', () => 'done');
    await sql`update handle_once.records set state = 'parked'`;
    return handleOnce;
  }

  it('is not looked up as no record', async () => {
    const handleOnce = await parked();
    const thrown: unknown = await handleOnce.lookup('parked').catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(DamagedRecordError);
    expect(String(thrown)).toContain('its state is not what this version of handle-once writes');
    await sql`delete from handle_once.records`;
  });

  it('runs nothing, and hurts no neighbour', async () => {
    const handleOnce = await parked();
    const handler = vi.fn();
    const [before, unknown, after] = await Promise.all([
      handleOnce('before', 'body', () => 'done'),
      handleOnce('parked', 'body', handler),
      handleOnce('after', 'body', () => 'done'),
    ]);
    expect([before, unknown, after].map(({ state }) => state)).toEqual(['succeeded', 'pending', 'succeeded']);
    expect(handler).not.toHaveBeenCalled();
    await sql`delete from handle_once.records`;
  });
});

it('An answer of a kind that is not known is no claim', () => {
  expect(toReply(['key', 'parked', '1'])).toEqual({ kind: 'unreadable', attempts: 1 });
});
