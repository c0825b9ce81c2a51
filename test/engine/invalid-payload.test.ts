import { sns } from 'handle-once/envelopes';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { describe, expect, it, vi } from 'vitest';
import * as v from 'valibot';
import * as z from 'zod';
import * as z3 from 'zod/v3';
import { createHandleOnce } from '../../src/index.ts';
import { createMemoryStore } from '../../testing/index.ts';
import { revokedProxy } from '../support/hostile.ts';
import { usePostgresBench } from './support/bench.ts';

/** A Standard Schema by hand, so that nothing rests on zod. */
function handWritten(
  validate: StandardSchemaV1['~standard']['validate'],
): StandardSchemaV1<unknown, { id: string }> {
  return { '~standard': { version: 1, vendor: 'test', validate } } as StandardSchemaV1<
    unknown,
    { id: string }
  >;
}

const order = z.object({ id: z.string(), amount: z.number() });

describe('a payload that is checked', () => {
  const bench = usePostgresBench();

  it('reaches the handler as the schema turned it out', async () => {
    const schema = z.object({ at: z.string().transform((text) => new Date(text)) });
    const outcome = await bench.handleOnce()(
      'key',
      { at: '2020-01-02T03:04:05Z' },
      ({ at }) => at.getUTCFullYear(),
      { schema },
    );
    expect(outcome).toMatchObject({ state: 'succeeded', result: 2020 });
  });

  it('is parsed first and then checked', async () => {
    const outcome = await bench.handleOnce()('key', '{"id":"a","amount":3}', ({ amount }) => amount * 2, {
      parse: (body) => JSON.parse(body) as unknown,
      schema: order,
    });
    expect(outcome).toMatchObject({ state: 'succeeded', result: 6 });
  });

  it('can be parsed and checked asynchronously', async () => {
    const schema = handWritten(async (value) => {
      await Promise.resolve();
      return { value: { id: String(value) } };
    });
    const outcome = await bench.handleOnce()('key', '5', ({ id }) => id, {
      parse: (text) => Promise.resolve(Number(text)),
      schema,
    });
    expect(outcome).toMatchObject({ state: 'succeeded', result: '5' });
  });

  it('uses the schema of the call in place of the one of the instance', async () => {
    const handleOnce = createHandleOnce({ store: bench.store, scope: 'schemas', schema: z.never() });
    const options: object = { schema: z.string() };
    expect(await handleOnce('key', 'body', (body: unknown) => body, options)).toMatchObject({
      result: 'body',
    });
  });

  it('fails for good when it does not fit the schema, without running the handler', async () => {
    const handleOnce = createHandleOnce({ store: bench.store, scope: 'misfit', schema: order });
    const handler = vi.fn();
    const payload = { id: 'secret', amount: 'also secret' };

    const outcome = await handleOnce('key', payload, handler);

    expect(outcome).toMatchObject({
      state: 'failed',
      reason: 'invalid-payload',
      replayed: false,
      attempts: 1,
      error: { name: 'InvalidPayloadError' },
    });
    const message = outcome.state === 'failed' ? outcome.error.message : '';
    expect(message).toContain('amount: ');
    expect(message).not.toContain('secret');
    expect(handler).not.toHaveBeenCalled();
    expect(await handleOnce('key', payload, handler)).toStrictEqual({ ...outcome, replayed: true });
  });

  it('names the place and the message of each issue, and bounds their number', async () => {
    const schema = handWritten(() => ({
      issues: [
        { message: 'is wrong as a whole' },
        { message: 'is wrong', path: ['items', { key: 0 }, 'id'] },
        ...Array.from({ length: 10 }, () => ({ message: 'is wrong too', path: ['more'] })),
      ],
    }));
    const outcome = await bench.handleOnce()('key', {}, vi.fn(), { schema });
    expect(outcome).toMatchObject({ state: 'failed', reason: 'invalid-payload' });
    const message = outcome.state === 'failed' ? outcome.error.message : '';
    expect(message).toMatch(/schema: is wrong as a whole; \*\.0\.\*: is wrong; \*: is wrong too; /);
    expect(message).toMatch(/; and 2 more$/);
  });

  it.each([
    ['throws', (text: string) => JSON.parse(text) as unknown],
    ['rejects', (text: string) => Promise.resolve(text).then((body) => JSON.parse(body) as unknown)],
  ])('fails permanently when parse %s, and never quotes the body', async (_, parse) => {
    const handler = vi.fn();
    const outcome = await bench.handleOnce()('key', 'secret body', handler, { parse });
    expect(outcome).toMatchObject({
      state: 'failed',
      reason: 'invalid-payload',
      error: { name: 'InvalidPayloadError', message: 'the payload could not be parsed (SyntaxError)' },
    });
    expect(JSON.stringify(outcome)).not.toContain('secret');
    expect(handler).not.toHaveBeenCalled();
  });

  it('keeps the text of an InvalidKeyError that parse throws, such as that of an envelope', async () => {
    const outcome = await bench.handleOnce()('key', '{"password":"secret"}', vi.fn(), { parse: sns.parse });
    expect(outcome).toMatchObject({
      reason: 'invalid-payload',
      error: {
        message:
          'the payload could not be parsed (InvalidKeyError: the message is not a notification of SNS: ' +
          "Type must be 'Notification'. With raw message delivery: leave sns out.)",
      },
    });
  });

  it('fails for good whatever odd thing parse throws', async () => {
    const odd = Object.defineProperty(new Error('odd'), 'name', {
      get() {
        throw new Error('no name');
      },
    });
    const parse = (): never => {
      throw odd;
    };
    const outcome = await bench.handleOnce()('key', 'body', vi.fn(), { parse });
    expect(outcome).toMatchObject({ state: 'failed', reason: 'invalid-payload' });
  });

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [{ issues: null }, 'issues of type null'],
  ])('is tried again when the schema answers %j, and the error names the schema', async (answer, what) => {
    const handler = vi.fn();
    const outcome = await bench.handleOnce()('key', {}, handler, {
      schema: handWritten(() => answer as never),
    });
    const message = `the schema (test) must answer { value } or { issues: [...] }, and answered ${what}`;
    expect(outcome).toMatchObject({
      state: 'pending',
      reason: 'released',
      error: { name: 'TypeError', message },
    });
    expect(handler).not.toHaveBeenCalled();
  });

  it('is tried again when the schema itself breaks: that says nothing of the payload', async () => {
    const schema = handWritten(() => {
      throw new Error('the lookup service is down');
    });
    const handler = vi.fn();
    const outcome = await bench.handleOnce()('key', {}, handler, { schema });
    expect(outcome).toMatchObject({
      state: 'pending',
      reason: 'released',
      error: { message: 'the lookup service is down' },
    });
    expect(handler).not.toHaveBeenCalled();
  });

  it('is not even looked at on a replay', async () => {
    const handleOnce = bench.handleOnce();
    await handleOnce('key', 'body', () => 1);
    const parse = vi.fn();
    expect(await handleOnce('key', 'body', vi.fn(), { parse })).toMatchObject({ replayed: true });
    expect(parse).not.toHaveBeenCalled();
  });
});

describe('the place of an issue', () => {
  const messageFor = async (schema: StandardSchemaV1, payload: unknown) => {
    const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'places', schema });
    const outcome = await handleOnce('key', payload, () => 1);
    return outcome.state === 'failed' ? outcome.error.message : outcome.state;
  };
  const wrong = { path: ['order', 'alice@example.com', 0], message: 'is wrong' };

  it.each<[what: string, schema: StandardSchemaV1, payload: unknown, words: string]>([
    [
      'members of objects, in whatever they are',
      z.object({ orders: z.array(z.union([z.object({ cents: z.int() }).optional(), z.null()])) }),
      { orders: [{ cents: 'secret' }] },
      'schema: orders.0',
    ],
    [
      'members of objects in a record, without its keys',
      z.object({ byMail: z.record(z.string(), z.object({ cents: z.int() })) }),
      { byMail: { 'alice@example.com': { cents: 'secret' } } },
      'schema: byMail.*.cents: ',
    ],
    [
      'a key of a record that does not fit, as a key',
      z.record(z.uuid(), z.int()),
      { 'alice@example.com': 1 },
      'schema: *: ',
    ],
    [
      'no members that are not known',
      z.strictObject({ cents: z.int() }),
      { cents: 1, 'alice@example.com': 1 },
      'schema: has members that the schema does not know',
    ],
    [
      'entries, as valibot has them',
      Object.assign(
        handWritten(() => ({ issues: [wrong] })),
        { entries: { order: {} } },
      ),
      {},
      'schema: order.*.0: is wrong',
    ],
  ])('names %s', async (_, schema, payload, words) => {
    const message = await messageFor(schema, payload);
    expect(message).toContain(words);
    expect(message).not.toMatch(/alice|secret|more/);
  });

  it('is found in a schema that refers to itself', async () => {
    const node: z.ZodType = z.object({
      cents: z.int(),
      get next() {
        return node.optional();
      },
    });
    const payload = { cents: 1, next: { cents: 'secret' } };
    expect(await messageFor(node, payload)).toContain('schema: next.cents: ');
  });
});

describe('the message of an issue', () => {
  const CARD = '4111111111111111';
  /** As arktype says it: with the value, escaped as in JSON. */
  const quoting = (path: PropertyKey[], quoted: unknown, more: object = {}) =>
    handWritten(() => ({
      issues: [{ message: `must be a number (was ${JSON.stringify(quoted)})`, path, ...more }],
    }));
  const handled = async (schema: StandardSchemaV1, payload: unknown) => {
    const events: unknown[] = [];
    const handleOnce = createHandleOnce({
      ...{ store: createMemoryStore(), scope: 'messages', schema },
      onEvent: (event) => events.push(event),
    });
    const outcome = await handleOnce('key', 'body', () => 1, { parse: () => payload });
    const record = await handleOnce.lookup('key');
    return JSON.stringify({ outcome, events, record });
  };

  it.each<[what: string, schema: StandardSchemaV1, payload: unknown, words: string]>([
    ['a value, as valibot', v.object({ card: v.number() }), { card: CARD }, 'card: does not fit'],
    ['a value of a list', v.object({ card: v.picklist(['a']) }), { card: CARD }, 'card: does not fit'],
    ['a number', v.object({ card: v.string() }), { card: Number(CARD) }, 'card: does not fit'],
    ['a bigint', v.object({ card: v.string() }), { card: BigInt(CARD) }, 'card: does not fit'],
    ['a name, as valibot', v.strictObject({}), { [CARD]: 1 }, '*: does not fit'],
    ['the key of a record', v.record(v.picklist(['a']), v.string()), { [CARD]: 'x' }, '*: does not fit'],
    [
      'a value that a transform has made',
      v.object({
        card: v.pipe(
          v.string(),
          v.transform((text) => text.slice(1)),
          v.picklist(['a']),
        ),
      }),
      { card: `x${CARD}` },
      'card: does not fit',
    ],
    ['a value, as zod 3', z3.object({ card: z3.enum(['a']) }), { card: CARD }, 'card: does not fit'],
    ['an unknown name, as zod 3', z3.object({}).strict(), { [CARD]: 1 }, 'has members that'],
    [
      'a value in a message of its own',
      z.object({ card: z.string().refine(() => false, { error: ({ input }) => `bad ${String(input)}` }) }),
      { card: CARD },
      'card: does not fit',
    ],
    ['a value with what JSON escapes', quoting([], `x${CARD}\n"`), `${CARD}\n"`, 'schema: does not fit'],
    ['a value in another case', quoting([], 'ALICE'), ' alice ', 'schema: does not fit'],
    ['what is in a value', quoting([], { a: [CARD] }), { a: [CARD] }, 'schema: does not fit'],
    ['a name that leads to it', quoting([CARD], CARD), {}, '*: does not fit'],
    ['a name in a value', quoting([], { [CARD]: 1 }), { [CARD]: null }, 'schema: does not fit'],
    ['what arktype has in its issue', quoting(['a'], CARD, { data: CARD }), { a: 1 }, '*: does not fit'],
    ['a value of a class', quoting([], CARD), new Map([[1, CARD]]), 'schema: does not fit'],
    ['a value that cannot be read', quoting([], CARD), [revokedProxy()], 'schema: does not fit'],
    [
      'a value that is too large to look through',
      quoting([], CARD),
      Array.from({ length: 2_000 }, (_, index) => index + 5_000),
      'schema: does not fit',
    ],
  ])('does not quote %s', async (_, schema, payload, words) => {
    const seen = await handled(schema, payload);
    expect(seen).toContain(words);
    expect(seen).not.toContain(CARD);
  });

  it.each<[what: string, schema: StandardSchemaV1, payload: unknown, words: string]>([
    [
      'a missing member',
      v.object({ card: v.string() }),
      {},
      String.raw`Expected \"card\" but received undefined`,
    ],
    [
      'a bound',
      v.object({ card: v.pipe(v.string(), v.maxLength(3)) }),
      { card: CARD },
      'Expected <=3 but received 16',
    ],
    [
      'a bound of what is empty',
      v.object({ card: v.pipe(v.string(), v.minLength(3)) }),
      { card: '' },
      'Expected >=3 but received 0',
    ],
    [
      'an index',
      handWritten(() => ({ issues: [{ message: 'must be after 0', path: [0] }] })),
      [CARD],
      '0: must be after 0',
    ],
    [
      'a type',
      z.object({ card: z.number() }),
      { card: CARD },
      'card: Invalid input: expected number, received string',
    ],
    [
      'members that it has',
      z.object({ id: z.string() }).refine(() => false),
      { id: CARD, more: null },
      'schema: Invalid input',
    ],
  ])('is kept where it quotes nothing: %s', async (_, schema, payload, words) => {
    expect(await handled(schema, payload)).toContain(words);
  });
});
