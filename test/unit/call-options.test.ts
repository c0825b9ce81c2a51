import { describe, expect, it, vi } from 'vitest';
import { createHandleOnce, InvalidOptionsError } from '../../src/index.ts';
import { createMemoryStore } from '../../testing/index.ts';

describe('handleOnce refuses, before anything runs or is written,', () => {
  const store = createMemoryStore();
  const claim = vi.spyOn(store, 'claim');
  const handleOnce = createHandleOnce({ store, scope: 'a' });
  const loosely = handleOnce as (...args: unknown[]) => Promise<unknown>;

  it.each<[string, unknown, string, string]>([
    ['a signal that is none', { signal: 5 }, 'signal', 'must be an AbortSignal'],
    [
      'a controller in place of its signal',
      { signal: new AbortController() },
      'signal',
      'must be an AbortSignal',
    ],
    [
      'no time',
      { timeoutMs: 0 },
      'timeoutMs',
      'must be a whole number of milliseconds from 1 to 43,200,000 (got 0)',
    ],
    [
      'a negative wait',
      { waitMs: -1 },
      'waitMs',
      'must be a whole number of milliseconds from 0 to 43,200,000 (got -1)',
    ],
    ['a parse that is none', { parse: 'json' }, 'parse', 'must be a function of the payload'],
    ['a schema that is none', { schema: {} }, 'schema', 'must be a Standard Schema, such as a zod schema'],
    [
      'what is not an option',
      { timeout: 5 },
      'timeout',
      'is not an option; remove it or correct its spelling',
    ],
    ['null as options', null, '', 'the options must be an object'],
  ])('%s', async (_, options, field, message) => {
    const handler = vi.fn();
    const refusal = await loosely('key', 'body', handler, options).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(InvalidOptionsError);
    expect(refusal).toMatchObject({ issues: [{ field, message }] });
    expect(handler).not.toHaveBeenCalled();
    expect(claim).not.toHaveBeenCalled();
  });
});
