import { createHandleOnce } from 'handle-once';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, it } from 'vitest';
import { kernelOf } from '../../src/adapter/kernel.ts';
import type { OnFailed } from '../../src/adapter/decide.ts';
import { deliver } from '../../src/adapter/deliver.ts';
import type { Delivery } from '../../src/adapter/delivery.ts';
import { HANDLES, type Handles, handlesOf } from '../../src/engine/hidden-handles.ts';

const LETTER = { to: 'orders-dead', send: () => Promise.resolve({}) };
const EVERY_CHOICE: readonly [what: string, onFailed: OnFailed][] = [
  ['to acknowledge', 'acknowledge'],
  ['to keep', 'keep'],
  ['to dead-letter', LETTER],
];

/** Delivers a message through an engine that says what it is told to, as one of another version may. */
async function deliverThrough(handle: () => Promise<unknown>, over: Partial<Delivery<unknown>>) {
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing' });
  const handles = { ...handlesOf(handleOnce), handle } as Handles;
  const kernel = kernelOf({
    subject: 'onceEach',
    handleOnce: Object.assign(handleOnce, { [HANDLES]: handles }),
    inTransaction: false,
  });
  return await deliver(kernel, {
    key: () => '1',
    content: () => 'body',
    fingerprint: {},
    message: undefined,
    parse: () => 'body',
    handler: () => undefined,
    onFailed: 'acknowledge',
    emit: () => undefined,
    ...over,
  });
}

describe.each(EVERY_CHOICE)('With what failed %s', (_, onFailed) => {
  it.each([
    ['state', { state: 'skipped', attempts: 1 }],
    ['reason', { state: 'pending', reason: 'delegated', attempts: 1, retryAfterMs: 1_234 }],
  ])('a message whose outcome has an unknown %s is kept', async (_, outcome) => {
    const delivered = await deliverThrough(() => Promise.resolve(outcome), { onFailed });
    expect(delivered).toMatchObject({ acknowledge: false, key: '1', reason: 'error' });
  });

  it.each<[string, () => Promise<unknown>, Partial<Delivery<unknown>>]>([
    ['the engine', () => Promise.reject(new TypeError('a bug')), {}],
    ['its content', () => Promise.reject(new Error('it runs')), { content: failing }],
  ])('a message is kept where %s throws what nothing expects', async (_, handle, over) => {
    const delivered = await deliverThrough(handle, { onFailed, ...over });
    expect(delivered).toMatchObject({ acknowledge: false, reason: 'error', error: new TypeError('a bug') });
  });
});

function failing(): never {
  throw new TypeError('a bug');
}
