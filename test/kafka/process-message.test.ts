import {
  AbortedError,
  InvalidKeyError,
  InvalidOptionsError,
  RetryableError,
  TerminalError,
} from 'handle-once';
import type { KafkaMessage } from 'handle-once/kafka';
import { createMemoryStore } from 'handle-once/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { retryCopyOf } from '../../adapters/shared/kafka/retry-copy.ts';
import { damagedStore } from '../support/damaged-store.ts';
import { bench, pass } from './support/bench.ts';
import { fakeBatch } from './support/fake-batch.ts';
import { message } from './support/messages.ts';

const emitWarning = vi.spyOn(process, 'emitWarning');

beforeEach(() => {
  vi.useFakeTimers();
  emitWarning.mockReset().mockImplementation(() => undefined);
});

afterEach(() => {
  vi.useRealTimers();
});

type Bench = ReturnType<typeof bench>;

async function deliver({ run }: Bench, ...messages: KafkaMessage[]): Promise<readonly string[]> {
  const batch = fakeBatch(messages);
  const handled = run(batch);
  await pass();
  expect(handled.state).toBe('ended');
  return batch.resolved;
}

describe('the identity of a message', () => {
  test('is its place: what is fetched again is answered from its record', async () => {
    const bed = bench();
    await deliver(bed, message(10));
    expect(await deliver(bed, message(10))).toEqual(['10']);
    expect(bed.started).toEqual(['10']);
    expect(bed.eventsOf('replayed')).toEqual([
      {
        type: 'replayed',
        topic: 'orders',
        partition: 0,
        offset: '10',
        key: 'orders-0-10',
        state: 'succeeded',
      },
    ]);
    expect(bed.eventsOf('acknowledged')).toHaveLength(2);
  });

  test.each([
    ['timestamp', { timestamp: '1' }],
    ['key', { key: 'other' }],
    ['value', { value: 'other' }],
  ])(
    'is not that of a message with another %s at the same place, which is never skipped',
    async (_, parts) => {
      const bed = bench();
      await deliver(bed, message(10));
      expect(await deliver(bed, message(10, parts))).toEqual([]);
      expect(bed.eventsOf('kept')).toMatchObject([{ offset: '10', reason: 'mismatch' }]);
      expect(bed.eventsOf('warning')).toMatchObject([
        {
          warning: 'PARTITION_STUCK',
          message: expect.stringMatching(/offset 10.*different payload/) as string,
        },
      ]);
    },
  );

  test('under a key of the user’s own is that key, and the value alone must be the same', async () => {
    const bed = bench({ key: ({ key }, topic, partition) => `${topic}:${partition}:${String(key)}` });
    await deliver(bed, message(10, { key: 'a', timestamp: '1' }));
    expect(await deliver(bed, message(11, { key: 'a', timestamp: '2' }))).toEqual(['11']);
    expect(await deliver(bed, message(12, { key: 'a', value: 'other' }))).toEqual([]);
    expect(bed.started).toEqual(['10']);
    expect(bed.attempts[0]?.key).toBe('orders:0:a');
    expect(bed.eventsOf('replayed')).toMatchObject([{ offset: '11', key: 'orders:0:a' }]);
    expect(bed.eventsOf('kept')).toMatchObject([{ offset: '12', reason: 'mismatch' }]);
  });

  test('is that of the original, for a copy that was redriven to its topic for this group', async () => {
    const seen: unknown[] = [];
    const bed = bench({ work: (delivery) => seen.push(delivery.message.headers) });
    const original = { ...message(10), headers: { trace: 'x' } };
    const { headers } = retryCopyOf({ topic: 'orders', partition: 0, message: original }, 'workers');
    const copy = { ...message(20, { timestamp: '1800000000000' }), headers };
    expect(await deliver(bed, copy)).toEqual(['20']);
    expect(await deliver(bed, { ...copy, offset: '21' })).toEqual(['21']);
    expect(bed.attempts.map(({ key }) => key)).toEqual(['orders-0-10']);
    expect(seen).toEqual([{ trace: 'x' }]);
    expect(bed.eventsOf('replayed')).toMatchObject([{ offset: '21', key: 'orders-0-10' }]);

    const others = { ...headers, 'handle-once-retry-group': 'others' };
    expect(await deliver(bench(), { ...copy, headers: others })).toEqual(['20']);
  });

  describe('of a copy that', () => {
    const { headers } = retryCopyOf({ topic: 'orders', partition: 0, message: message(10) }, 'workers');
    const copy = { ...message(20), headers };

    test.each<['nothing' | 'a dead letter', number]>([
      ['nothing', 0],
      ['a dead letter', 1],
    ])('fails for good, of which %s is left, is acknowledged', async (left, count) => {
      const sent: unknown[] = [];
      const producer = { send: (record: unknown) => Promise.resolve(sent.push(record)) };
      const work = () => {
        throw new TerminalError('no');
      };
      const bed = bench({
        work,
        ...(left !== 'nothing' && { onFailed: { deadLetterTopic: 'dead', producer } }),
      });
      expect(await deliver(bed, copy)).toEqual(['20']);
      expect(sent).toHaveLength(count);
    });

    test('waits behind a message that is pending is not begun', async () => {
      const work = () => {
        throw new Error('not yet');
      };
      const bed = bench({ work });
      expect(await deliver(bed, message(19), copy)).toEqual([]);
      expect([bed.started, bed.eventsOf('kept').length]).toEqual([['19'], 1]);
    });
  });

  describe('of one that says that it is a copy, and is not', () => {
    const { headers } = retryCopyOf({ topic: 'orders', partition: 0, message: message(10) }, 'workers');
    const forged = (offset: number) => ({ ...message(offset, { value: 'other' }), headers });
    const sent: unknown[] = [];
    const producer = { send: (record: unknown) => Promise.resolve(sent.push(record)) };

    test.each<[string, object]>([
      ['', {}],
      [' with a dead-letter topic', { onFailed: { deadLetterTopic: 'dead', producer } }],
    ])('is its own place%s: it runs as any other, and that is warned of once', async (_, options) => {
      const bed = bench(options);
      await deliver(bed, message(10));
      expect(await deliver(bed, forged(11), forged(12))).toContain('12');
      expect(bed.attempts.map(({ key }) => key)).toEqual(['orders-0-10', 'orders-0-11', 'orders-0-12']);
      expect(bed.eventsOf('kept')).toEqual([]);
      expect(sent).toEqual([]);
      expect(bed.eventsOf('warning')).toMatchObject([
        {
          warning: 'COPY_MISMATCH',
          message: expect.stringMatching(/orders-0-11.*copy of orders-0-10/) as string,
        },
      ]);
    });

    test('is its own place, also where another message was there: it goes to the dead-letter topic', async () => {
      const bed = bench({ onFailed: { deadLetterTopic: 'dead', producer } });
      await deliver(bed, message(10));
      await deliver(bed, forged(11));
      expect(await deliver(bed, { ...forged(11), value: Buffer.from('third') })).toEqual(['11']);
      expect(sent).toHaveLength(1);
    });

    test('is a key of the user’s own, which is not passed by', async () => {
      const bed = bench({ key: () => 'order-1' });
      await deliver(bed, message(10));
      expect(await deliver(bed, forged(11))).toEqual([]);
      expect(bed.eventsOf('warning')).toMatchObject([{ warning: 'PARTITION_STUCK' }]);
    });
  });

  test('is another in each group', async () => {
    const store = createMemoryStore();
    const groups = ['a', 'b'].map((groupId) => bench({ store, groupId }));
    for (const bed of groups) expect(await deliver(bed, message(10))).toEqual(['10']);
    expect(groups.map(({ attempts }) => attempts[0]?.scope)).toEqual(['billing>kafka:a', 'billing>kafka:b']);
  });
});

describe('under a key of the user’s own, values that differ', () => {
  const key = () => 'order-1';
  const value = (sentAt: number) => JSON.stringify({ id: 1, sentAt });

  test.each<[string, object]>([
    ['ignoredFields', { ignoredFields: ['/sentAt'] }],
    [
      'fingerprint',
      { fingerprint: (body: Buffer, { headers }: KafkaMessage) => [body.subarray(0, 7), headers] },
    ],
    ['no fingerprint', { fingerprint: false }],
  ])('are one message by %s', async (_, options) => {
    const bed = bench({ key, ...options });
    expect(await deliver(bed, message(10, { value: value(1) }))).toEqual(['10']);
    expect(await deliver(bed, message(11, { value: value(2) }))).toEqual(['11']);
    expect(bed.started).toEqual(['10']);
  });

  describe('and a fingerprint function that throws', () => {
    const fingerprint = (body: Buffer | null): unknown => {
      if (body?.length !== 4) throw new RangeError('no id');
      return body;
    };
    const good = { key: 'good', value: 'good' };
    const keyOf = ({ offset }: KafkaMessage) => offset;
    const deadLetters = () => {
      const sent: unknown[] = [];
      const send = (record: unknown) => Promise.resolve(sent.push(record));
      return { sent, onFailed: { deadLetterTopic: 'dead', producer: { send } } };
    };

    test('for one message: it is withheld, or goes to the dead-letter topic, also as the first', async () => {
      const withheld = bench({ key: keyOf, fingerprint });
      expect(await deliver(withheld, message(10), message(11, good))).toEqual([]);
      expect(withheld.eventsOf('kept')).toMatchObject([
        { reason: 'invalid-key', error: { code: 'UNHASHABLE_PAYLOAD', cause: { message: 'no id' } } },
      ]);
      expect(withheld.eventsOf('warning')).toMatchObject([{ warning: 'PARTITION_STUCK' }]);
      const { sent, onFailed } = deadLetters();
      const passed = bench({ key: keyOf, fingerprint, onFailed });
      expect(await deliver(passed, message(10), message(11, good))).toEqual(['10', '11']);
      expect(await deliver(passed, message(12))).toEqual(['12']);
      expect([withheld.started, passed.started, sent.length]).toEqual([[], ['11'], 2]);
    });

    test('for every message: none goes to the dead-letter topic, and the error names the function', async () => {
      const { sent, onFailed } = deadLetters();
      const bed = bench({ key: keyOf, fingerprint, onFailed });
      const messages = Array.from({ length: 25 }, (_, n) => message(10 + n));
      expect(await deliver(bed, ...messages)).toEqual([]);
      expect([bed.started, sent]).toEqual([[], []]);
      const error = {
        code: 'INVALID_OPTIONS',
        message: expect.stringContaining(
          'onceEachKafkaMessage: fingerprint: threw (RangeError), and has not worked yet',
        ) as string,
      };
      expect(bed.eventsOf('kept')).toMatchObject([{ offset: '10', reason: 'error', error }]);
      expect(bed.eventsOf('warning')).toMatchObject([{ warning: 'PARTITION_STUCK' }]);
    });
  });
});

describe('a key that cannot be kept', () => {
  const fault = new RangeError('no id');

  test('withholds its message, also with a dead-letter topic, while the function has never worked', async () => {
    const send = vi.fn();
    const bed = bench({ key: () => '', onFailed: { deadLetterTopic: 'dead', producer: { send } } });
    expect(await deliver(bed, message(10))).toEqual([]);
    expect(send).not.toHaveBeenCalled();
  });

  test.each<[string, () => unknown, reason: string, type: typeof InvalidKeyError, cause: unknown]>([
    [
      'throws, and has never worked',
      () => {
        throw fault;
      },
      'error',
      InvalidOptionsError as never,
      fault,
    ],
    ['is empty', () => '', 'invalid-key', InvalidKeyError, undefined],
  ])('withholds its message, and says so: %s', async (_, key, reason, type, cause) => {
    const bed = bench({ key: key as () => string });
    expect(await deliver(bed, message(10), message(11))).toEqual([]);
    expect(bed.started).toEqual([]);
    const [withheld] = bed.eventsOf('kept');
    expect(withheld).toMatchObject({ offset: '10', reason, key: '' });
    expect(withheld?.error?.original).toBeInstanceOf(type);
    const original = withheld?.error?.original as Error | undefined;
    expect(original?.cause).toBe(cause);
    expect(bed.eventsOf('warning')).toMatchObject([{ warning: 'PARTITION_STUCK' }]);
  });

  test.each<[string, object]>([
    ['is no text', { key: () => 7 }],
    ['is a promise', { key: () => Promise.resolve('k') }],
    ['has a fingerprint that is a promise', { key: () => 'k', fingerprint: () => Promise.resolve('k') }],
  ])(
    'withholds its message where dead letters go to a topic too, since the code is at fault: %s',
    async (_, over) => {
      const onFailed = {
        deadLetterTopic: 'dead',
        producer: { send: () => Promise.reject(new Error('unexpected')) },
      };
      const bed = bench({ ...over, onFailed });
      expect(await deliver(bed, message(10), message(11))).toEqual([]);
      expect(bed.started).toEqual([]);
      const error = { code: 'INVALID_OPTIONS' };
      expect(bed.eventsOf('kept')).toMatchObject([{ offset: '10', reason: 'error', error }]);
      expect(bed.eventsOf('warning')).toMatchObject([{ warning: 'PARTITION_STUCK' }]);
    },
  );
});

describe('the payload', () => {
  const payloadOf = async (value: string | null, options: object): Promise<unknown> => {
    const seen: unknown[] = [];
    const bed = bench({ ...options, work: ({ payload }) => seen.push(payload) });
    await deliver(bed, message(10, { value }));
    return bed.eventsOf('acknowledged').length === 1 && seen.length === 0 ? 'failed' : seen[0];
  };
  const order = z.object({ id: z.coerce.number() }).nullable();

  test.each<[string, string | null, object, unknown]>([
    ['the bytes', '{"id":"7"}', {}, Buffer.from('{"id":"7"}')],
    ['null for a tombstone', null, {}, null],
    ['the JSON, as the schema makes it', '{"id":"7"}', { schema: order }, { id: 7 }],
    ['null for a tombstone under a schema that takes it', null, { schema: order }, null],
    ['failed for what is no JSON', 'no', { schema: order }, 'failed'],
    ['failed for what does not fit', '{}', { schema: order }, 'failed'],
    ['what parse returns', 'abc', { parse: String }, 'abc'],
    [
      'what parse returns, as the schema makes it',
      '7',
      { parse: (v: Buffer) => ({ id: v.toString() }), schema: order },
      { id: 7 },
    ],
    [
      'what parse makes of the message',
      'abc',
      { parse: (_: unknown, { offset }: KafkaMessage) => offset },
      '10',
    ],
    [
      'failed when parse throws',
      'abc',
      {
        parse: () => {
          throw new Error('no');
        },
      },
      'failed',
    ],
  ])('is %s', async (_, value, options, expected) => {
    expect(await payloadOf(value, options)).toEqual(expected);
  });
});

test('a RetryableError of parse releases the message: what it needs is not there now', async () => {
  const parse = (): never => {
    throw new RetryableError('the schema registry is down', { retryAfterMs: 7_000 });
  };
  const bed = bench({ parse });
  expect(await deliver(bed, message(10))).toEqual([]);
  expect(bed.started).toEqual([]);
  expect(bed.eventsOf('kept')).toMatchObject([{ offset: '10', reason: 'released' }]);
  expect(bed.eventsOf('partition-paused')).toMatchObject([{ retryAfterMs: 7_000 }]);
});

test('a message that its handler defers for an hour is warned of once, since it holds its partition', async () => {
  const store = createMemoryStore();
  const work = (): never => {
    throw new RetryableError('the order is not here yet', { retryAfterMs: 0, counted: false });
  };
  const bed = bench({ store, work });
  for (const [minutes, warnings] of [
    [0, 0],
    [59, 0],
    [1, 1],
    [60, 1],
  ] as const) {
    store.advance(minutes * 60_000);
    expect(await deliver(bed, message(10))).toEqual([]);
    expect(bed.eventsOf('warning')).toHaveLength(warnings);
  }
  expect(bed.eventsOf('warning')).toMatchObject([
    {
      warning: 'PARTITION_STUCK',
      message: expect.stringMatching(
        /offset 10: its handler has deferred it for 1 h.*retry topics/,
      ) as string,
    },
  ]);
  expect(bed.eventsOf('kept')).toHaveLength(4);
});

describe('a message that failed for good', () => {
  const work = () => {
    throw new TerminalError('never');
  };

  test('is committed, first run and replay', async () => {
    const bed = bench({ work });
    expect(await deliver(bed, message(10), message(11))).toEqual(['10', '11']);
    expect(await deliver(bed, message(10))).toEqual(['10']);
    expect(bed.eventsOf('replayed')).toMatchObject([{ offset: '10', state: 'failed' }]);
  });

  const deadLetters = (send: () => Promise<unknown>) => {
    const sent: unknown[] = [];
    const producer = {
      send: (record: unknown) => {
        sent.push(record);
        return send();
      },
    };
    return { sent, onFailed: { deadLetterTopic: 'orders-dead', producer } };
  };

  test('is produced to the dead-letter topic, to all replicas, before it is told as settled', async () => {
    const { sent, onFailed } = deadLetters(() => Promise.resolve());
    const bed = bench({ work, onFailed });
    expect(await deliver(bed, message(10, { key: 'k' }))).toEqual(['10']);
    expect(sent).toMatchObject([
      {
        topic: 'orders-dead',
        acks: -1,
        messages: [
          {
            key: Buffer.from('k'),
            value: Buffer.from('v'),
            headers: {
              'handle-once-topic': 'orders',
              'handle-once-partition': '0',
              'handle-once-offset': '10',
              'handle-once-scope': 'billing>kafka:workers',
              'handle-once-error': 'TerminalError: never',
              'handle-once-attempts': '1',
            },
          },
        ],
      },
    ]);
    expect(bed.events.map(({ type }) => type)).toEqual(['dead-lettered', 'acknowledged']);
  });

  test.each([
    ['rejects', () => Promise.reject(new Error('not connected'))],
    [
      'throws',
      () => {
        throw new Error('not connected');
      },
    ],
  ])('is withheld while the producer %s, with a backoff, and produced later', async (_, send) => {
    let sends: () => Promise<unknown> = send;
    const { sent, onFailed } = deadLetters(() => sends());
    const bed = bench({ work, onFailed });
    for (const wait of [500, 1_000]) {
      expect(await deliver(bed, message(10), message(11))).toEqual([]);
      expect(bed.eventsOf('partition-paused').at(-1)).toMatchObject({ retryAfterMs: wait });
      await pass(wait);
    }
    expect(bed.eventsOf('kept').map(({ offset, reason }) => [offset, reason])).toEqual([
      ['10', 'dead-letter-refused'],
      ['10', 'dead-letter-refused'],
    ]);
    expect(bed.eventsOf('dead-letter-error')[0]).toMatchObject({
      to: 'orders-dead',
      error: { message: 'not connected' },
    });
    sends = () => Promise.resolve();
    expect(await deliver(bed, message(10), message(11))).toEqual(['10', '11']);
    expect([sent.length, bed.started]).toEqual([4, ['10', '11']]);
  });

  test('or never ran, as a mismatch, goes there too, and is not stuck', async () => {
    const { sent, onFailed } = deadLetters(() => Promise.resolve());
    const bed = bench({ onFailed });
    await deliver(bed, message(10));
    expect(await deliver(bed, message(10, { value: 'other' }), message(11))).toEqual(['10', '11']);
    const error = expect.stringMatching(/^PayloadMismatchError: key "orders-0-10" in scope /) as string;
    expect(sent).toMatchObject([
      { messages: [{ headers: { 'handle-once-error': error, 'handle-once-attempts': '0' } }] },
    ]);
    expect(bed.eventsOf('warning')).toEqual([]);
  });
});

test('what handleOnce throws is told with the message that is withheld', async () => {
  let calls = 0;
  const bed: Bench = bench({
    key: () => {
      calls += 1;
      // Tried once before anything runs. At the second call the message is about to be claimed.
      if (calls === 2) bed.consumer.join({});
      return 'k';
    },
  });
  expect(await deliver(bed, message(10))).toEqual([]);
  const [withheld] = bed.eventsOf('kept');
  expect(withheld).toMatchObject({ offset: '10', key: 'k', reason: 'aborted', error: { code: 'ABORTED' } });
  expect(withheld?.error?.original).toBeInstanceOf(AbortedError);
  expect(bed.started).toEqual([]);
});

test('a damaged record withholds its message, and nothing runs', async () => {
  const bed = bench({ store: damagedStore() });
  await deliver(bed, message(10));
  expect(await deliver(bed, message(10), message(11))).toEqual([]);
  expect(bed.started).toEqual(['10']);
  expect(bed.eventsOf('kept')).toMatchObject([
    { offset: '10', reason: 'error', error: { code: 'DAMAGED_RECORD' } },
  ]);
});

test('no event has the key or the value of a message', async () => {
  const { events, ...bed } = bench({
    work: () => {
      throw new TerminalError('never');
    },
  });
  const secret = { key: 'secret key', value: 'secret value' };
  await deliver({ events, ...bed }, message(10, secret));
  await deliver({ events, ...bed }, message(10, { ...secret, timestamp: '2' }));
  expect(events.length).toBeGreaterThan(3);
  expect(JSON.stringify(events)).not.toContain('secret');
});
