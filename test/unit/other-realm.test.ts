import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fromPg } from '../../adapters/clients/index.ts';
import { createHandleOnce } from '../../src/index.ts';
import { isError } from '../../src/lib/safe-read.ts';
import { causeOf, toStoredError } from '../../src/payload/stored-error.ts';
import { safeCause } from '../../src/postgres/safe-cause.ts';
import { createMemoryStore } from '../../testing/index.ts';

/** As code in a sandbox meets errors of Node: Jest gives each test file globals of its own, and Node's modules none. */
const thrown = (code: string): unknown =>
  runInNewContext(`
  try { ${code} } catch (error) { error }
`);

const enoent = () =>
  thrown(
    `throw Object.assign(new Error('no such file', { cause: new RangeError('too far') }), { code: 'ENOENT' })`,
  );

const STORED = {
  name: 'Error',
  message: 'no such file',
  code: 'ENOENT',
  cause: { name: 'RangeError', message: 'too far' },
};

describe('An error of another realm', () => {
  it('is stored with its name, message, code and cause', async () => {
    expect(toStoredError(enoent())).toEqual(STORED);
    const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'test', maxAttempts: 1 });
    const outcome = await handleOnce('key', 1, () => {
      throw enoent() as Error;
    });
    expect(outcome).toMatchObject({ state: 'failed', error: STORED });
  });

  it('is one of a subclass, and a DOMException, which is no native error', () => {
    const custom = thrown(
      `class CardError extends Error { name = 'CardError' } throw new CardError('declined')`,
    );
    expect(toStoredError(custom)).toEqual({ name: 'CardError', message: 'declined' });
    const domException = { name: 'AbortError', message: 'gone', [Symbol.toStringTag]: 'DOMException' };
    expect(toStoredError(domException)).toEqual({ name: 'AbortError', message: 'gone' });
    expect(isError(thrown(`throw { name: 'Error', message: 'no' }`))).toBe(false);
  });

  it('stays the cause of a StoreError', () => {
    const refused = thrown(`throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })`);
    expect(safeCause(refused)).toMatchObject({ name: 'Error', message: 'connect', code: 'ECONNREFUSED' });
  });

  it('of a pool of pg that lends no connection is what its transaction ends with', async () => {
    const refused = thrown(`throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })`);
    const pool = {
      totalCount: 0,
      query: () => Promise.resolve({ rows: [] }),
      connect(callback: (...result: unknown[]) => void) {
        callback(refused, undefined);
      },
    } as unknown as Parameters<typeof fromPg>[0];
    await expect(fromPg(pool).begin(() => Promise.resolve())).rejects.toBe(refused);
  });
});

describe('A syntax error of another realm, which quotes what it could not read', () => {
  const quoting = () => thrown(`JSON.parse('secret')`);

  it('is no cause, as another error is', () => {
    expect(causeOf(quoting())).toEqual({});
    expect(causeOf(enoent())).toMatchObject({ cause: { code: 'ENOENT' } });
  });

  it('of a schema is in no error', async () => {
    const schema = z.string().transform(() => {
      throw quoting() as Error;
    });
    const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'test', schema });
    const outcome = await handleOnce('key', 'secret', () => 1);
    expect(JSON.stringify(outcome)).toContain('the schema threw a SyntaxError');
    expect(JSON.stringify(outcome)).not.toContain('secret');
  });
});
