import * as ours from 'handle-once';
import { createMemoryStore } from 'handle-once/testing';
import * as webhook from 'handle-once/webhook';
import { describe, expect, it, vi } from 'vitest';
import { NotStartedError } from '../../src/words/not-started-error.ts';
import { UnlistedError } from '../../src/history/unlisted-error.ts';

vi.resetModules();
const theirs = await import('handle-once');
const theirWebhook = await import('handle-once/webhook');
const { NotStartedError: TheirNotStartedError } = await import('../../src/words/not-started-error.ts');
const { UnlistedError: TheirUnlistedError } = await import('../../src/history/unlisted-error.ts');

type Copy = typeof ours &
  typeof webhook & { NotStartedError: typeof NotStartedError; UnlistedError: typeof UnlistedError };

/** One of each error, as either copy makes it. */
function errorsOf(copy: Copy) {
  return {
    AbortedError: new copy.AbortedError('no'),
    DamagedRecordError: new copy.DamagedRecordError('scope', 'key', 'result'),
    InvalidKeyError: new copy.InvalidKeyError('no'),
    InvalidOptionsError: new copy.InvalidOptionsError('no', []),
    InvalidPayloadError: new copy.InvalidPayloadError('no'),
    LeaseLostError: new copy.LeaseLostError('no'),
    MissingIdError: new copy.MissingIdError('no'),
    NotStartedError: new copy.NotStartedError('no'),
    PayloadMismatchError: new copy.PayloadMismatchError('scope', 'key'),
    RetryableError: new copy.RetryableError('no', { retryAfterMs: 5_000 }),
    SchemaError: new copy.SchemaError('no'),
    StoreError: new copy.StoreError('no', { retriable: true }),
    TerminalError: new copy.TerminalError('no'),
    UnhashablePayloadError: new copy.UnhashablePayloadError('no'),
    UnlistedError: new copy.UnlistedError('no'),
    UnverifiedError: new copy.UnverifiedError('no'),
    VerifyConfigError: new copy.VerifyConfigError('no'),
  };
}

const one: Copy = { ...ours, ...webhook, NotStartedError, UnlistedError };
const other: Copy = {
  ...{ ...theirs, ...theirWebhook },
  ...{ NotStartedError: TheirNotStartedError, UnlistedError: TheirUnlistedError },
};
const names = Object.keys(errorsOf(one)) as (keyof ReturnType<typeof errorsOf>)[];

describe('With two copies of the package installed', () => {
  it.each(names)('instanceof %s knows what the other copy made', (name) => {
    expect(one[name]).not.toBe(other[name]);
    expect(errorsOf(other)[name] instanceof one[name]).toBe(true);
    expect(errorsOf(one)[name] instanceof other[name]).toBe(true);
  });

  it.each(names)('instanceof says the same of a copy as of our own %s, for every class', (name) => {
    for (const className of [...names, 'HandleOnceError'] as const) {
      const expected = errorsOf(one)[name] instanceof one[className];
      expect(errorsOf(other)[name] instanceof one[className], className).toBe(expected);
    }
  });

  it('every error that the package exports is among them', () => {
    const exported = Object.entries<object>(one).filter(([, value]) => isErrorClass(value));
    expect(exported.map(([name]) => name).sort()).toEqual([...names, 'HandleOnceError'].sort());
  });

  it.each([
    [other.TerminalError, { state: 'failed', reason: 'terminal' }],
    [other.InvalidPayloadError, { state: 'failed', reason: 'invalid-payload' }],
    [class Subclass extends other.TerminalError {}, { state: 'failed', reason: 'terminal' }],
  ] as const)('a handler ends its message with the other copy’s errors', async (ErrorClass, outcome) => {
    const handleOnce = ours.createHandleOnce({ store: createMemoryStore(), scope: 'copies' });
    const run = () => Promise.reject(new ErrorClass('no'));
    expect(await handleOnce('key', 'body', run)).toMatchObject(outcome);
  });

  it('a handler sets its wait with the other copy’s RetryableError', async () => {
    const handleOnce = ours.createHandleOnce({ store: createMemoryStore(), scope: 'copies' });
    const run = () => Promise.reject(errorsOf(other).RetryableError);
    expect(await handleOnce('key', 'body', run)).toMatchObject({ reason: 'released', retryAfterMs: 5_000 });
  });

  it('an adapter of one copy does with a handleOnce of the other what it does with its own', async () => {
    const store = { ...createMemoryStore(), claim: () => Promise.reject(errorsOf(other).StoreError) };
    const handleWebhook = webhook.onceEachWebhook(
      {
        handleOnce: theirs.createHandleOnce({ store, scope: 'copies' }),
        source: 'github',
        verify: 'already-verified',
      },
      () => undefined,
    );
    const delivery = { headers: { 'x-github-delivery': '1' }, body: '{}' };
    expect((await handleWebhook(delivery)).answer.status).toBe(503);
  });
});

function isErrorClass(value: object): boolean {
  return 'prototype' in value && value.prototype instanceof Error;
}

describe('instanceof', () => {
  class MyTerminalError extends ours.TerminalError {}

  it('of a subclass stays the subclass’s own', () => {
    expect(new MyTerminalError('no') instanceof MyTerminalError).toBe(true);
    expect(new MyTerminalError('no') instanceof ours.TerminalError).toBe(true);
    expect(new ours.TerminalError('no') instanceof MyTerminalError).toBe(false);
    expect(errorsOf(other).TerminalError instanceof MyTerminalError).toBe(false);
    expect(new ours.TerminalError('no') instanceof ours.InvalidPayloadError).toBe(false);
  });

  const trap = (): never => {
    throw new Error('trapped');
  };
  const traps = new Proxy({}, { get: () => trap });
  const { proxy: revoked, revoke } = Proxy.revocable({}, {});
  revoke();

  it.each([
    ['a Proxy whose traps throw', new Proxy({}, traps)],
    ['a revoked Proxy', revoked],
    ['null', null],
    ['undefined', undefined],
    ['a text', 'TerminalError'],
    ['a function', () => undefined],
    ['an error that only looks like it', Object.assign(new Error('no'), { name: 'TerminalError' })],
  ])('is false for %s, and does not throw', (_, value: unknown) => {
    for (const ErrorClass of [ours.TerminalError, ours.HandleOnceError, MyTerminalError]) {
      expect(value instanceof ErrorClass).toBe(false);
    }
  });
});
