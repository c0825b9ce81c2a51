import { describe, expect, it, vi } from 'vitest';
import {
  createHandleOnce,
  InvalidOptionsError,
  PayloadMismatchError,
  UnhashablePayloadError,
} from '../../src/index.ts';
import { createMemoryStore } from '../../testing/index.ts';
import { revokedProxy } from '../support/hostile.ts';
import { usePostgresBench } from './support/bench.ts';

const at = (sentAt: number, cents = 100) => ({ cents, meta: { sentAt }, items: [{ sku: 'a', sentAt }] });
const FIELDS = ['/meta/sentAt', '/items/0/sentAt'];

describe('What has to be the same', () => {
  const bench = usePostgresBench();

  it.each([
    ['an object', at(1), at(2), at(2, 101)],
    ['a text', JSON.stringify(at(1)), JSON.stringify(at(2)), JSON.stringify(at(2, 101))],
    [
      'bytes',
      Buffer.from(JSON.stringify(at(1))),
      JSON.stringify(at(2)),
      Buffer.from(JSON.stringify(at(2, 101))),
    ],
  ])('is not what ignoredFields point at: %s', async (_, payload, again, other) => {
    const handleOnce = bench.handleOnce({ ignoredFields: FIELDS });
    await handleOnce('key', payload, () => 'done');
    expect(await handleOnce('key', again, vi.fn())).toMatchObject({ replayed: true, result: 'done' });
    await expect(handleOnce('key', other, vi.fn())).rejects.toThrow(PayloadMismatchError);
  });

  it('is what a function returns at once: one that returns a promise is refused in the name of handleOnce', async () => {
    const refused = bench.handleOnce({ fingerprint: () => Promise.resolve(1) })('key', at(1), vi.fn());
    await expect(refused).rejects.toThrow(InvalidOptionsError);
    await expect(refused).rejects.toThrow(
      /^handleOnce: fingerprint: must return its result at once, but returned a promise$/,
    );
  });

  it('with ignoredFields the handler gets the whole payload, unchanged', async () => {
    const handler = vi.fn();
    const payload = Object.freeze(at(1));
    await bench.handleOnce()('key', payload, handler, { ignoredFields: FIELDS });
    expect(handler.mock.calls[0]?.[0]).toBe(payload);
    expect(payload).toEqual(at(1));
  });

  it('is a text as it is where that is no JSON', async () => {
    const handleOnce = bench.handleOnce({ ignoredFields: ['/a'] });
    await handleOnce('text', 'not JSON', () => 1);
    await handleOnce('bytes', Buffer.from([0xff]), () => 1);
    expect(await handleOnce('text', 'not JSON', vi.fn())).toMatchObject({ replayed: true });
    await expect(handleOnce('text', 'nor this', vi.fn())).rejects.toThrow(PayloadMismatchError);
    await expect(handleOnce('bytes', Buffer.from([0xfe]), vi.fn())).rejects.toThrow(PayloadMismatchError);
  });

  it('leaves out members that no fingerprint can be made of, and are not even read', async () => {
    const handleOnce = bench.handleOnce({ ignoredFields: ['/request'] });
    await handleOnce('key', { id: 1, request: revokedProxy() }, () => 1);
    expect(await handleOnce('key', { id: 1, request: new Map() }, vi.fn())).toMatchObject({ replayed: true });
  });

  it('is what the fingerprint function returns', async () => {
    const fingerprint = (payload: unknown) => (payload as { cents: number }).cents;
    const handleOnce = bench.handleOnce({ fingerprint });
    await handleOnce('key', at(1), () => 1);
    expect(await handleOnce('key', at(2), vi.fn())).toMatchObject({ replayed: true });
    await expect(handleOnce('key', at(1, 101), vi.fn())).rejects.toThrow(PayloadMismatchError);
  });

  it('is nothing with fingerprint: false, whatever the payload', async () => {
    const handleOnce = bench.handleOnce({ fingerprint: false });
    await handleOnce('key', at(1), () => 1);
    for (const payload of [at(2, 7), 'text', new Map(), () => 1, revokedProxy()]) {
      expect(await handleOnce('key', payload, vi.fn())).toMatchObject({ replayed: true });
    }
  });

  it.each([
    ['fingerprint', { fingerprint: false }],
    ['ignoredFields', { ignoredFields: FIELDS }],
  ] as const)('is what the %s of a call says, in place of the instance’s', async (_, options) => {
    for (const instance of [
      {},
      { fingerprint: (payload: unknown) => payload },
      { ignoredFields: ['/cents'] },
    ]) {
      const handleOnce = bench.handleOnce(instance);
      await handleOnce('key', at(1), () => 1, options);
      expect(await handleOnce('key', at(2), vi.fn(), options)).toMatchObject({ replayed: true });
    }
  });

  it('is the whole payload again under an empty list of ignoredFields', async () => {
    const handleOnce = bench.handleOnce({ fingerprint: false });
    await handleOnce('key', at(1), () => 1, { ignoredFields: [] });
    await expect(handleOnce('key', at(2), vi.fn(), { ignoredFields: [] })).rejects.toThrow(
      PayloadMismatchError,
    );
  });

  const cause = new Error('no such member');
  it.each<[string, () => unknown, unknown]>([
    [
      'throws',
      () => {
        throw cause;
      },
      cause,
    ],
    ['returns what has no fingerprint', () => ({ at: new Map() }), undefined],
  ])(
    'refuses a payload with a typed error, and runs nothing, where the function %s',
    async (_, fingerprint, because) => {
      const handleOnce = bench.handleOnce({ fingerprint });
      const handler = vi.fn();
      const thrown: unknown = await handleOnce('key', at(1), handler).catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(UnhashablePayloadError);
      expect((thrown as Error).cause).toBe(because);
      expect(handler).not.toHaveBeenCalled();
      expect(handleOnce.counts()).toEqual({});
    },
  );

  it.each<[object, string, RegExp]>([
    [{ fingerprint: true }, 'fingerprint', /false or a function/],
    [{ fingerprint: 'id' }, 'fingerprint', /false or a function/],
    [{ ignoredFields: '/id' }, 'ignoredFields', /list of JSON pointers/],
    [{ ignoredFields: ['/id', 'sentAt'] }, 'ignoredFields.1', /JSON pointer such as/],
    [{ fingerprint: false, ignoredFields: [] }, 'ignoredFields', /not be given together with fingerprint/],
  ])('refuses %j, of the instance and of a call', async (options, field, message) => {
    const refused = { issues: [{ field, message: expect.stringMatching(message) as string }] };
    expect(() => bench.handleOnce(options)).toThrow(InvalidOptionsError);
    expect(() => bench.handleOnce(options)).toThrow(expect.objectContaining(refused) as Error);
    await expect(bench.handleOnce()('key', 1, vi.fn(), options)).rejects.toMatchObject(refused);
  });
});

describe('A comparison that is switched off and on, on Postgres,', () => {
  const bench = usePostgresBench();
  const failing = () => {
    throw new Error('again');
  };

  it('matches the records of the other time', async () => {
    const [on, off] = [{}, { fingerprint: false as const }].map((options) =>
      bench.handleOnce({ scope: 'switched', backoff: () => 0, ...options }),
    ) as [ReturnType<typeof bench.handleOnce>, ReturnType<typeof bench.handleOnce>];
    await on('made on', 1, () => 1);
    await off('made off', 1, () => 1);
    expect(await off('made on', 2, vi.fn())).toMatchObject({ replayed: true });
    expect(await on('made off', 2, vi.fn())).toMatchObject({ replayed: true });
    await expect(on('made on', 2, vi.fn())).rejects.toThrow(PayloadMismatchError);

    await off('released off', 1, failing);
    await on('released off', 2, failing);
    expect(await on('released off', 3, () => 1)).toMatchObject({ state: 'succeeded', attempts: 3 });
    expect(await on('released off', 4, vi.fn())).toMatchObject({ replayed: true });
  });
});

it('what JSON.parse quotes in a fingerprint function is in no error', async () => {
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing' });
  const options = { fingerprint: (body: string): unknown => JSON.parse(body) };
  const error: unknown = await handleOnce('key', 'secret', () => 1, options).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({
    code: 'UNHASHABLE_PAYLOAD',
    message: expect.stringContaining('the fingerprint function threw (SyntaxError), ') as string,
  });
  expect((error as Error).cause).toBeUndefined();
});

it('a change of what is compared refuses old records, unless nothing is compared meanwhile', async () => {
  const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'billing' });
  const call = (key: string, options: object) => handleOnce(key, at(1), () => 1, options);
  const ignored = { ignoredFields: FIELDS };
  await call('whole', {});
  await expect(call('whole', ignored)).rejects.toThrow(PayloadMismatchError);
  expect(await call('whole', { fingerprint: false })).toMatchObject({ replayed: true });
  await call('nothing', { fingerprint: false });
  expect(await call('nothing', ignored)).toMatchObject({ replayed: true });
});
