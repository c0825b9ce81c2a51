import { createHandleOnce, InvalidOptionsError, TerminalError } from 'handle-once';
import { createMemoryStore } from 'handle-once/testing';
import { expect, it, vi } from 'vitest';

const MINUTE = 60_000;

function bench() {
  const store = createMemoryStore();
  return { store, handleOnce: createHandleOnce({ store, scope: 'billing', backoff: () => MINUTE }) };
}

it('has nothing before the first message', () => {
  expect(createMemoryStore().records()).toEqual([]);
});

it('shows each record with what its handler returned or threw', async () => {
  const { store, handleOnce } = bench();
  await handleOnce('charged', 1, () => ({ id: 'charge-1' }));
  await handleOnce('blocked', 1, () => {
    throw new TerminalError('the card is blocked', { code: 'BLOCKED' });
  });
  await handleOnce('down', 1, () => {
    throw new Error('no answer');
  });
  await handleOnce.inScope('mail')('omitted', 1, () => new Map());
  const common = { attempts: 1, deaths: 0 };
  expect(store.records()).toEqual([
    {
      ...common,
      ...{ scope: 'billing', key: 'charged', state: 'succeeded', phase: 'succeeded', failures: 0 },
      result: '{"id":"charge-1"}',
    },
    {
      ...common,
      ...{ scope: 'billing', key: 'blocked', state: 'failed', phase: 'failed', failures: 1 },
      failedReason: 'terminal',
      error: { name: 'TerminalError', message: 'the card is blocked', code: 'BLOCKED' },
    },
    {
      ...common,
      ...{ scope: 'billing', key: 'down', state: 'pending', phase: 'backing-off', failures: 1 },
      error: { name: 'Error', message: 'no answer' },
    },
    {
      ...common,
      ...{ scope: 'mail', key: 'omitted', state: 'succeeded', phase: 'succeeded', failures: 0 },
      resultOmitted: 'not-serializable',
    },
  ]);
});

it('shows what the next delivery would find, as time goes on', async () => {
  const { store, handleOnce } = bench();
  const phases = () => store.records().map(({ phase }) => phase);
  await handleOnce('key', 1, async () => {
    expect(phases()).toEqual(['running']);
    store.advance(MINUTE);
    expect(phases()).toEqual(['lapsed']);
    await handleOnce('key', 1, () => Promise.reject(new Error('again')));
    expect(phases()).toEqual(['backing-off']);
    store.advance(MINUTE);
    expect(phases()).toEqual(['waiting']);
  });
  await handleOnce('key', 1, () => 'done');
  expect(phases()).toEqual(['succeeded']);
  store.advance(8 * 24 * 60 * MINUTE);
  expect(phases()).toEqual(['expired']);
});

it.each([NaN, -1, Infinity, '5', undefined])(
  'refuses to move its clock by %s, and runs nothing twice',
  async (by) => {
    const { store, handleOnce } = bench();
    await handleOnce('key', 1, () => 'done');
    expect(() => {
      store.advance(by as never);
    }).toThrow(InvalidOptionsError);
    const handler = vi.fn();
    await handleOnce('key', 1, handler);
    expect(handler).not.toHaveBeenCalled();
  },
);
