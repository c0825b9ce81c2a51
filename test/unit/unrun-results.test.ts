import { createHandleOnce } from 'handle-once';
import { onceEachRequest } from 'handle-once/http';
import { createMemoryStore } from 'handle-once/testing';
import { Observable } from 'rxjs';
import { describe, expect, test, vi } from 'vitest';

function* generator() {
  yield 1;
}
async function* asyncGenerator() {
  yield await Promise.resolve(1);
}

/** What `[1].values().map(charge)` is, from Node 22 on. */
const iteratorHelper = { next: () => undefined, [Symbol.toStringTag]: 'Iterator Helper' };

/** What older targets of compilers make of an async generator. */
const compiled = {
  ...{ next: () => undefined, return: () => undefined, throw: () => undefined },
  [Symbol.asyncIterator]: () => compiled,
};

/** One of RxJS that was loaded before what defines `Symbol.observable`. */
class Piped {
  readonly '@@observable' = () => this;
  readonly pipe = () => this;
  readonly subscribe = () => undefined;
}

const lazy: readonly (readonly [string, () => unknown, RegExp])[] = [
  ['a generator', () => generator(), /returned a generator.*for await/],
  ['an async generator', () => asyncGenerator(), /returned a generator.*for await/],
  ['an async generator of an older target', () => compiled, /returned a generator.*for await/],
  ['an Observable of an older RxJS', () => new Piped(), /returned an Observable.*lastValueFrom/],
  ['a list of Observables', () => [1, new Observable()], /returned an Observable.*lastValueFrom/],
  [
    'a list of promises of generators',
    () => [Promise.resolve(asyncGenerator())],
    /returned a generator.*for await/,
  ],
  ['an iterator helper', () => iteratorHelper, /returned a generator or a lazy iterator.*for await/],
  ['an Observable', () => new Observable(), /returned an Observable.*lastValueFrom/],
  ['a function', () => () => 1, /returned a function.*call it/],
];

describe.each(lazy)('a handler that returns %s', (_, returned, message) => {
  test.each([['at once', returned] as const, ['in a promise', () => Promise.resolve(returned())] as const])(
    'has failed, since nothing of it has run (%s)',
    async (__, handler) => {
      const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'orders' });
      expect(await handleOnce('key', 'body', handler)).toMatchObject({
        state: 'pending',
        reason: 'released',
        error: { name: 'TypeError', message: expect.stringMatching(message) as string },
      });
    },
  );
});

class Customer {
  readonly id = 7;
  subscribe(plan: string): string {
    return plan;
  }
}

test.each<[string, unknown]>([
  ['an array', [1]],
  ['a member named next', { next: 1 }],
  ['a cursor of pages', { next: () => 1 }],
  ['a list with a member next', { head: 1, next: () => 2, [Symbol.iterator]: () => [1].values() }],
  ['the values of a map', new Map([[1, 2]]).values()],
  ['a member named subscribe', { subscribe: true }],
  ['an entity with a method subscribe', new Customer()],
  ['an emitter', { subscribe: () => undefined, pipe: () => undefined }],
  ['a store as of Redux', { subscribe: () => undefined, '@@observable': () => undefined }],
])('a handler that returns %s has succeeded', async (_, value) => {
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'orders' });
  expect(await handleOnce('key', 'body', () => value)).toMatchObject({ state: 'succeeded' });
});

test('what the promises in a returned array answer is the result', async () => {
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'orders' });
  const outcome = await handleOnce('key', 'body', () => [Promise.resolve(1), 2]);
  expect(outcome).toMatchObject({ state: 'succeeded', result: [1, 2] });
});

test('a handler has failed where a promise in its returned array rejects', async () => {
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'orders' });
  const outcome = await handleOnce('key', 'body', () => [
    Promise.resolve(1),
    Promise.reject(new Error('no')),
  ]);
  expect(outcome).toMatchObject({ state: 'pending', reason: 'released', error: { message: 'no' } });
});

test('a handler of requests may answer with a stream that a generator feeds', async () => {
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'orders' });
  const post = onceEachRequest({ handleOnce, route: '/orders', principal: null }, () =>
    Promise.resolve(new Response(ReadableStream.from(['a', 'b']).pipeThrough(new TextEncoderStream()))),
  );
  const headers = { 'idempotency-key': '"7"' };
  const answer = await post(new Request('http://127.0.0.1/orders', { method: 'POST', headers, body: '{}' }));
  expect(await answer.text()).toBe('ab');
});

test.each([
  ['a class', class extends Map {}],
  ['a generator function', generator],
  ['an async generator function', asyncGenerator],
])('handleOnce refuses %s in place of the handler, before anything is claimed', async (_, handler) => {
  const store = createMemoryStore();
  const claim = vi.spyOn(store, 'claim');
  const handleOnce = createHandleOnce({ store, scope: 'orders' });
  const refused = await handleOnce('key', 'body', handler as never).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'INVALID_OPTIONS', issues: [{ field: 'handler' }] });
  expect(claim).not.toHaveBeenCalled();
});
