import { TerminalError } from 'handle-once';
import {
  type LambdaKafkaMessage,
  type KafkaRecordDelivery,
  type KafkaRecordEvent,
  onceEachKafkaRecord,
} from 'handle-once/lambda';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { KeptRecordsError } from '../../adapters/lambda/kept-records-error.ts';
import { aborted, gate } from '../support/gate.ts';
import { damagedStore } from '../support/damaged-store.ts';
import { bench } from './support/bench.ts';
import { ample, contextWith, kafkaRecord, mskEvent, selfManagedEvent } from './support/events.ts';

const mapping = { groupId: 'billing', onFailed: 'acknowledge' } as const;

function failures(...places: [partition: string, offset: number][]): object {
  return {
    batchItemFailures: places.map(([partition, offset]) => ({ itemIdentifier: { partition, offset } })),
  };
}

const NONE = failures();

function throwing(error: Error): () => never {
  return () => {
    throw error;
  };
}

describe.each([
  ['Amazon MSK', mskEvent],
  ['a self-managed Kafka', selfManagedEvent],
])('An event of %s', (_, eventOf) => {
  test('gives each record decoded, in the form that kafkajs gives', async () => {
    const { handleOnce } = bench();
    const got: KafkaRecordDelivery<Buffer | null>[] = [];
    const handler = onceEachKafkaRecord({ handleOnce, ...mapping }, (delivery, attempt) => {
      got.push(delivery);
      expect(attempt).toMatchObject({ key: 'mytopic-0-15', scope: 'orders>kafka:billing', number: 1 });
    });
    expect(await handler(eventOf(kafkaRecord('mytopic', 0, 15)), ample())).toEqual(NONE);
    expect(got).toEqual([
      {
        topic: 'mytopic',
        partition: 0,
        payload: Buffer.from('Hello, this is a test.'),
        message: {
          key: Buffer.from('a key'),
          value: Buffer.from('Hello, this is a test.'),
          timestamp: '1545084650987',
          offset: '15',
          headers: { headerKey: Buffer.from('headerValue') },
        },
      },
    ]);
  });
});

describe('A record', () => {
  test('that is a redriven copy is the message that it was made of, in its own group and topic', async () => {
    const { handleOnce } = bench();
    const got: string[] = [];
    const handler = onceEachKafkaRecord({ handleOnce, ...mapping }, ({ message }, attempt) => {
      got.push(`${attempt.key} ${message.offset} ${Object.keys(message.headers).join()}`);
    });
    const copyFor = (group: string, offset: number, topic = 't') => {
      const facts = { topic: 't', partition: '0', offset: '5', timestamp: '1545084650987', group };
      const headers = Object.entries(facts).map(([name, text]) => ({
        [`handle-once-retry-${name}`]: [...Buffer.from(text)],
      }));
      return kafkaRecord(topic, 0, offset, 'x', { headers });
    };
    const event = mskEvent(
      kafkaRecord('t', 0, 5, 'x', { headers: [] }),
      copyFor(mapping.groupId, 6),
      copyFor('other', 7),
      copyFor(mapping.groupId, 8, 'u'),
    );
    expect(await handler(event, ample())).toEqual(NONE);
    const facts = ['topic', 'partition', 'offset', 'timestamp', 'group'];
    const headers = facts.map((name) => `handle-once-retry-${name}`).join();
    expect(got.toSorted()).toEqual(['t-0-5 5 ', `t-0-7 7 ${headers}`, `u-0-8 8 ${headers}`]);
  });

  test('may have no key, no value and no headers, or many headers of one name, or bytes below zero', async () => {
    const { handleOnce } = bench();
    const got: unknown[] = [];
    const handler = onceEachKafkaRecord(
      { handleOnce, ...mapping },
      ({ message: { key, value, headers }, payload }) => {
        got.push([key, value, payload, headers]);
      },
    );
    const headers = [
      { tag: [97] },
      { other: [-61, -92] },
      { tag: [98] },
      JSON.parse('{"__proto__":[1]}') as object,
    ];
    const records = [
      kafkaRecord('t', 0, 0, null, { key: null, value: null, headers: undefined }),
      kafkaRecord('t', 0, 1, '', { key: undefined, headers: headers as never }),
    ];
    expect(await handler(mskEvent(...records), ample())).toEqual(NONE);
    const [first, second] = got as [unknown[], [unknown, unknown, unknown, Record<string, unknown>]];
    expect(first).toEqual([null, null, null, {}]);
    expect(second.slice(0, 3)).toEqual([null, Buffer.alloc(0), Buffer.alloc(0)]);
    expect(Object.entries(second[3])).toEqual([
      ['tag', [Buffer.from('a'), Buffer.from('b')]],
      ['other', Buffer.from('ä')],
      ['__proto__', Buffer.from([1])],
    ]);
  });

  test('is validated as JSON with a schema, and parsed by parse', async () => {
    const { handleOnce } = bench();
    const got: unknown[] = [];
    const ofSchema = onceEachKafkaRecord(
      { handleOnce, ...mapping, schema: z.object({ id: z.string() }).nullable() },
      ({ payload }) => got.push(payload?.id ?? null),
    );
    const records = [
      kafkaRecord('t', 0, 0, '{"id":"a"}'),
      kafkaRecord('t', 0, 1, null),
      kafkaRecord('t', 0, 2, '{'),
    ];
    expect(await ofSchema(mskEvent(...records), ample())).toEqual(NONE);
    const ofParse = onceEachKafkaRecord(
      {
        handleOnce,
        ...mapping,
        groupId: 'other',
        parse: (value, { offset }) => `${offset}: ${String(value)}`,
      },
      ({ payload }) => got.push(payload.toUpperCase()),
    );
    expect(await ofParse(mskEvent(kafkaRecord('t', 0, 7, 'x')), ample())).toEqual(NONE);
    expect(got).toEqual(['a', null, '7: X']);
  });

  test('is the same for a consumer of handle-once/kafka in the same group, and another in another', async () => {
    const { handleOnce } = bench();
    // The bytes of timestamp, key and value with their lengths, by hand.
    const bytes = Buffer.concat([
      Buffer.from('0000000d0000000500000001', 'hex'),
      Buffer.from('1545084650987'),
      Buffer.from('a key'),
      Buffer.from('v'),
    ]);
    const inGroup = handleOnce.inScope({ kind: 'kafka', name: 'billing' });
    await inGroup('orders-3-42', bytes, () => 1);
    const event = mskEvent(kafkaRecord('orders', 3, 42, 'v'));
    const same = onceEachKafkaRecord({ handleOnce, ...mapping }, () => expect.unreachable());
    expect(await same(event, ample())).toEqual(NONE);
    expect(same.counts()).toEqual({ replayed: 1, acknowledged: 1 });
    const other = onceEachKafkaRecord({ handleOnce, ...mapping, groupId: 'reports' }, () => 1);
    expect(await other(event, ample())).toEqual(NONE);
    expect(other.counts()).toEqual({ acknowledged: 1 });
  });

  test('at the place of another message is a mismatch, and stuck; the warning comes once', async () => {
    const { handleOnce } = bench();
    const events: KafkaRecordEvent[] = [];
    const onEvent = (event: KafkaRecordEvent) => events.push(event);
    const options = { handleOnce, ...mapping, onKept: 'report', onEvent } as const;
    const handler = onceEachKafkaRecord(options, () => 1);
    await handler(mskEvent(kafkaRecord('t', 0, 0, 'old')), ample());
    const event = mskEvent(kafkaRecord('t', 0, 0, 'secret'), kafkaRecord('t', 0, 1));
    const expected = failures(['t-0', 0], ['t-0', 1]);
    expect(await handler(event, ample())).toEqual(expected);
    expect(await handler(event, ample())).toEqual(expected);
    expect(events.filter(({ type }) => type === 'warning')).toMatchObject([
      { warning: 'PARTITION_STUCK', message: expect.stringMatching(/^t-0 is stuck at offset 0/) as string },
    ]);
    expect(JSON.stringify(events)).not.toContain('secret');
  });

  test('can have a key of its own: then the value alone has to be the same', async () => {
    const { handleOnce } = bench();
    let runs = 0;
    const key = ({ key: bytes }: { key: Buffer | null }) => `order ${String(bytes)}`;
    const handler = onceEachKafkaRecord({ handleOnce, ...mapping, key, onKept: 'report' }, () => {
      runs += 1;
    });
    const again = kafkaRecord('t', 0, 1, 'v', { timestamp: 1 });
    expect(await handler(mskEvent(kafkaRecord('t', 0, 0, 'v'), again), ample())).toEqual(NONE);
    expect(runs).toBe(1);
    const other = mskEvent(kafkaRecord('t', 0, 2, 'w'));
    expect(await handler(other, ample())).toEqual(failures(['t-0', 2]));
  });

  test.each([
    ['acknowledge', NONE],
    ['keep', failures(['t-0', 0], ['t-0', 1])],
  ] as const)('that failed for good goes where onFailed says: %s', async (onFailed, answer) => {
    const { handleOnce } = bench();
    const handler = onceEachKafkaRecord(
      { handleOnce, ...mapping, onFailed, onKept: 'report' },
      ({ message }) => {
        if (message.offset === '0') throw new TerminalError('never');
      },
    );
    const event = mskEvent(kafkaRecord('t', 0, 0), kafkaRecord('t', 0, 1));
    expect(await handler(event, ample())).toEqual(answer);
  });
});

describe('Partitions', () => {
  test('run side by side, and each in order; from the first unsettled offset on nothing runs', async () => {
    const { handleOnce } = bench({ backoff: () => 0 });
    const ran: string[] = [];
    const both = gate();
    const handler = onceEachKafkaRecord(
      { handleOnce, ...mapping, onKept: 'report' },
      async ({ topic, partition, message }, { number }) => {
        const place = `${topic}-${partition}-${message.offset}`;
        ran.push(`${place}#${number}`);
        if (ran.some((name) => name.startsWith('t-0-4')) && ran.some((name) => name.startsWith('t-1-7')))
          both.open();
        await both.opened;
        if (place === 't-0-6' && number === 1) throw new Error('not now');
      },
    );
    const event = mskEvent(
      // Compaction leaves gaps.
      ...[4, 6, 9, 10].map((offset) => kafkaRecord('t', 0, offset)),
      ...[7, 8].map((offset) => kafkaRecord('t', 1, offset)),
    );
    const answer = await handler(event, ample());
    expect(answer).toEqual(failures(['t-0', 6], ['t-0', 9], ['t-0', 10]));
    expect(ran.toSorted()).toEqual(['t-0-4#1', 't-0-6#1', 't-1-7#1', 't-1-8#1']);
    // Lambda delivers again what was reported.
    const again = mskEvent(...[6, 9, 10].map((offset) => kafkaRecord('t', 0, offset)));
    expect(await handler(again, ample())).toEqual(NONE);
    expect(ran.slice(4)).toEqual(['t-0-6#2', 't-0-9#1', 't-0-10#1']);
  });

  test('are named as the event names them', async () => {
    const { handleOnce } = bench();
    const handler = onceEachKafkaRecord({ handleOnce, ...mapping, onKept: 'report' }, () =>
      Promise.reject(new Error()),
    );
    const event = { records: { 'as lambda says': [kafkaRecord('t', 0, 5)] } };
    expect(await handler(event, ample())).toEqual(failures(['as lambda says', 5]));
  });

  test('have to end before the deadline as well', async () => {
    const { handleOnce } = bench();
    const options = { handleOnce, ...mapping, onKept: 'report', deadlineMarginMs: 500 } as const;
    const handler = onceEachKafkaRecord(options, async ({ message }, { signal }) => {
      if (message.offset !== '1') return;
      await aborted(signal);
      signal.throwIfAborted();
    });
    const event = mskEvent(...[0, 1, 2].map((offset) => kafkaRecord('t', 0, offset)));
    expect(await handler(event, contextWith(750))).toEqual(failures(['t-0', 1], ['t-0', 2]));
  });
});

describe('By default', () => {
  test('the invocation fails when anything is unsettled, and the whole batch is answered from its records', async () => {
    const { handleOnce } = bench({ backoff: () => 0 });
    const ran: string[] = [];
    const handler = onceEachKafkaRecord({ handleOnce, ...mapping }, ({ message }, { number }) => {
      ran.push(`${message.offset}#${number}`);
      if (message.offset === '1' && number === 1) throw new Error('not now');
    });
    const event = mskEvent(...[0, 1, 2].map((offset) => kafkaRecord('t', 0, offset)));
    const error: unknown = await handler(event, ample()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(KeptRecordsError);
    expect(error).toMatchObject({
      name: 'KeptRecordsError',
      retriable: true,
      message:
        'records not acknowledged: 2, the first at offset 1 of t-0. Lambda must deliver the batch again',
      kept: [
        { partition: 't-0', offset: 1 },
        { partition: 't-0', offset: 2 },
      ],
    });
    expect(await handler(event, ample())).toEqual(NONE);
    expect(ran).toEqual(['0#1', '1#1', '1#2', '2#1']);
  });
});

test.each<[string, object]>([
  ['an event of another source', { Records: [] }],
  ['records in no lists', { records: { 't-0': {} } }],
  ['a record that is null', { records: { 't-0': [null] } }],
  ['a value that is no text', { records: { 't-0': [{ ...kafkaRecord('t', 0, 5), value: 7 }] } }],
  [
    'headers that are no lists',
    { records: { 't-0': [{ ...kafkaRecord('t', 0, 5), headers: [{ id: 'a' }] }] } },
  ],
  [
    'a record without a timestamp',
    { records: { 't-0': [{ ...kafkaRecord('t', 0, 5), timestamp: undefined }] } },
  ],
])('%s is refused as a whole', async (_, event) => {
  const { handleOnce } = bench();
  const handler = onceEachKafkaRecord({ handleOnce, ...mapping }, () => expect.unreachable());
  await expect(handler(event as never, ample())).rejects.toThrow(
    /onceEachKafkaRecord: event.records: must be/,
  );
});

test('A damaged record is reported, and nothing runs', async () => {
  const { handleOnce } = bench({ store: damagedStore() });
  const events: object[] = [];
  const onEvent = (event: object): unknown => events.push(event);
  let runs = 0;
  const handler = onceEachKafkaRecord(
    { handleOnce, ...mapping, onKept: 'report', onEvent },
    () => void (runs += 1),
  );
  const event = mskEvent(kafkaRecord('t', 0, 7));
  expect(await handler(event, ample())).toEqual(NONE);
  expect(await handler(event, ample())).toEqual(failures(['t-0', 7]));
  expect(events.at(-1)).toMatchObject({
    type: 'kept',
    reason: 'error',
    error: { code: 'DAMAGED_RECORD' },
  });
  expect(runs).toBe(1);
});

describe('Under a key of the user’s own', () => {
  const eventOf = (sentAt: number) =>
    mskEvent(kafkaRecord('t', 0, sentAt, JSON.stringify({ id: 1, sentAt })));
  const once = (options: object, run: () => unknown) => {
    const { handleOnce } = bench();
    return onceEachKafkaRecord(
      { handleOnce, ...mapping, key: () => 'order-1', onKept: 'report', ...options },
      run,
    );
  };

  test.each<[string, object]>([
    ['ignoredFields', { ignoredFields: ['/sentAt'] }],
    [
      'fingerprint',
      {
        fingerprint: (value: Buffer | null, { headers }: LambdaKafkaMessage) => [
          value?.subarray(0, 7),
          headers,
        ],
      },
    ],
    ['no fingerprint', { fingerprint: false }],
  ])('records that differ are one by %s', async (_, options) => {
    let runs = 0;
    const handler = once(options, () => (runs += 1));
    expect(await handler(eventOf(1), ample())).toEqual(NONE);
    expect(await handler(eventOf(2), ample())).toEqual(NONE);
    expect(runs).toBe(1);
  });

  test('a fingerprint function that throws has the record reported, and nothing runs', async () => {
    const events: object[] = [];
    const fingerprint = throwing(new Error('no id'));
    const handler = once({ fingerprint, onEvent: (event: object) => events.push(event) }, () =>
      expect.unreachable(),
    );
    expect(await handler(eventOf(1), ample())).toEqual(failures(['t-0', 1]));
    expect(events.at(-1)).toMatchObject({
      type: 'kept',
      reason: 'invalid-key',
      error: { code: 'UNHASHABLE_PAYLOAD' },
    });
  });
});
