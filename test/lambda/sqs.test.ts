import { type HandleOnceOptions, RetryableError, StoreError, TerminalError } from 'handle-once';
import type { Store } from 'handle-once/store';
import { onceEachSqsRecord, type SqsRecord, type SqsRecordEvent } from 'handle-once/lambda';
import type { DeadLetter } from '../../adapters/lambda/dead-letter.ts';
import type { LambdaKeptReason } from '../../adapters/lambda/events.ts';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { gate } from '../support/gate.ts';
import { damagedStore } from '../support/damaged-store.ts';
import { bench } from './support/bench.ts';
import { ample, fifoRecord, QUEUE_ARN, sqsEvent, sqsRecord } from './support/events.ts';

const deadLetterQueueUrl = 'https://sqs.us-east-2.amazonaws.com/123456789012/dead';

function failures(...messageIds: string[]): object {
  return { batchItemFailures: messageIds.map((itemIdentifier) => ({ itemIdentifier })) };
}

const NONE = failures();

function throwing(error: Error): () => string {
  return () => {
    throw error;
  };
}

/** What a failing client was asked to send. */
function deadLetterQueue(sends: () => Promise<unknown> = () => Promise.resolve()) {
  const sent: DeadLetter[] = [];
  const sendMessage = (deadLetter: DeadLetter): Promise<unknown> => {
    sent.push(deadLetter);
    return sends();
  };
  return { sent, onFailed: { deadLetterQueueUrl, client: { sendMessage } } };
}

/** The reasons of what was reported, by message. */
function recorder(): {
  events: SqsRecordEvent[];
  onEvent: (event: SqsRecordEvent) => void;
  reasons: () => Record<string, LambdaKeptReason>;
} {
  const events: SqsRecordEvent[] = [];
  return {
    events,
    onEvent: (event) => {
      events.push(event);
    },
    reasons: () =>
      Object.fromEntries(
        events.flatMap((event) => (event.type === 'kept' ? [[event.itemIdentifier, event.reason]] : [])),
      ),
  };
}

describe('A record', () => {
  test('gives its body as JSON, and itself', async () => {
    const { handleOnce } = bench();
    const got: unknown[] = [];
    const record = sqsRecord('id-1', '{"id":"order-1"}');
    const handler = onceEachSqsRecord({ handleOnce }, (payload, attempt) => {
      got.push(payload, attempt.record, attempt.key, attempt.number, attempt.childKey('charge').length);
    });
    expect(await handler(sqsEvent(record), ample())).toEqual(NONE);
    expect(got).toEqual([{ id: 'order-1' }, record, 'id-1', 1, 64]);
  });

  test('that is a redriven copy runs under the key of its original, once', async () => {
    const { handleOnce } = bench();
    const { scope } = handleOnce.settings;
    const copy = (id: string, identity: object) =>
      sqsRecord(id, '1', {
        messageAttributes: {
          HandleOnceIdentity: { dataType: 'String', stringValue: JSON.stringify(identity) },
        },
      });
    const keys: string[] = [];
    const handler = onceEachSqsRecord({ handleOnce }, (_, { key }) => {
      keys.push(key);
    });
    for (const record of [
      copy('copy-1', { scope, key: 'order-7' }),
      copy('copy-2', { scope, key: 'order-7' }),
      copy('copy-3', { scope, messageId: 'original', sentAt: '1' }),
      copy('copy-4', { scope: 'another', key: 'order-8' }),
    ]) {
      expect(await handler(sqsEvent(record), ample())).toEqual(NONE);
    }
    expect(keys).toEqual(['order-7', 'original', 'copy-4']);
  });

  test('that is a redriven copy is compared as its original', async () => {
    const { handleOnce } = bench();
    const { scope } = handleOnce.settings;
    const stringValue = JSON.stringify({ scope, messageId: 'original', sentAt: '1' });
    const original = sqsRecord('original', '1');
    const handler = onceEachSqsRecord(
      {
        handleOnce,
        key: () => 'order-7',
        fingerprint: (body, record) => [
          body,
          record.messageId,
          record.attributes.SentTimestamp,
          record.messageAttributes,
        ],
      },
      () => undefined,
    );
    for (const record of [
      { ...original, attributes: { ...original.attributes, SentTimestamp: '1' } },
      {
        ...original,
        messageId: 'copy',
        messageAttributes: {
          ...original.messageAttributes,
          HandleOnceIdentity: { dataType: 'String', stringValue },
        },
      },
    ]) {
      expect(await handler(sqsEvent(record), ample())).toEqual(NONE);
    }
  });

  test('that succeeded is not run again, and not reported: its body is compared as it is', async () => {
    const { handleOnce } = bench();
    const { onEvent, events } = recorder();
    let runs = 0;
    const handler = onceEachSqsRecord({ handleOnce, onEvent }, () => {
      runs += 1;
    });
    const event = sqsEvent(sqsRecord('id-1', '{"a":1}'));
    expect(await handler(event, ample())).toEqual(NONE);
    expect(await handler(event, ample())).toEqual(NONE);
    expect(runs).toBe(1);
    expect(handler.counts()).toEqual({ acknowledged: 2, replayed: 1 });
    expect(events).toContainEqual({
      type: 'replayed',
      itemIdentifier: 'id-1',
      key: 'id-1',
      state: 'succeeded',
    });
    expect(await handler(sqsEvent(sqsRecord('id-1', '{"a": 1}')), ample())).toEqual(failures('id-1'));
  });

  test('is parsed, and then validated', async () => {
    const { handleOnce } = bench();
    const got: unknown[] = [];
    const handler = onceEachSqsRecord(
      {
        handleOnce,
        parse: (body) => body.split(','),
        schema: z.array(z.coerce.number()),
        onFailed: 'keep',
      },
      (payload) => got.push(payload),
    );
    const event = sqsEvent(sqsRecord('good', '1,2'), sqsRecord('bad', '1,x'));
    expect(await handler(event, ample())).toEqual(failures('bad'));
    expect(got).toEqual([[1, 2]]);
  });

  test('can have a key of its own', async () => {
    const { handleOnce } = bench();
    let runs = 0;
    const key = ({ messageAttributes }: SqsRecord) => messageAttributes['myAttribute']?.stringValue;
    const handler = onceEachSqsRecord({ handleOnce, key }, () => {
      runs += 1;
    });
    const event = sqsEvent(sqsRecord('one', '1'), sqsRecord('two', '1'));
    expect(await handler(event, ample())).toEqual(failures('two'));
    expect(await handler(event, ample())).toEqual(NONE);
    expect(runs).toBe(1);
  });

  test.each([
    ['settled', 'acknowledge', NONE],
    ['reported', 'keep', failures('id-1')],
    ['reported', undefined, failures('id-1')],
  ] as const)('that failed for good is %s by %j, each time', async (_, onFailed, answer) => {
    const { handleOnce } = bench();
    const handler = onceEachSqsRecord({ handleOnce, onFailed }, throwing(new TerminalError('never')));
    const event = sqsEvent(sqsRecord('id-1', '{}'));
    expect(await handler(event, ample())).toEqual(answer);
    expect(await handler(event, ample())).toEqual(answer);
    expect(handler.counts().replayed).toBe(1);
  });

  test('fails for good when it is no JSON', async () => {
    const { handleOnce } = bench();
    const handler = onceEachSqsRecord({ handleOnce, onFailed: 'acknowledge' }, () => expect.unreachable());
    expect(await handler(sqsEvent(sqsRecord('id-1', '{')), ample())).toEqual(NONE);
  });
});

describe('Reported, with its reason:', () => {
  const down = (): Promise<never> => Promise.reject(new StoreError('down', { retriable: true }));
  const storeWith = (changed: Partial<Store>) => ({ store: { ...createMemoryStore(), ...changed } });

  const rows: [LambdaKeptReason, Partial<HandleOnceOptions>, () => unknown][] = [
    ['released', {}, throwing(new RetryableError('not now', { retryAfterMs: 60_000 }))],
    ['unrecorded', { ...storeWith({ settle: down }), leaseMs: 1_000 }, () => 1],
    ['lease-lost', storeWith({ settle: () => Promise.resolve(['lost']) }), () => 1],
    ['store-error', storeWith({ claim: down }), () => 1],
    ['error', storeWith({ claim: () => Promise.reject(new TypeError('a bug')) }), () => 1],
  ];
  test.each(rows)('%s', async (reason, options, run) => {
    const { handleOnce } = bench(options);
    const { onEvent, reasons } = recorder();
    const handler = onceEachSqsRecord({ handleOnce, onEvent }, run);
    expect(await handler(sqsEvent(sqsRecord('id-1', '{}')), ample())).toEqual(failures('id-1'));
    expect(reasons()).toEqual({ 'id-1': reason });
  });

  test('released, where parse throws a RetryableError', async () => {
    const { handleOnce } = bench();
    const { onEvent, reasons } = recorder();
    const parse = throwing(new RetryableError('the schema registry is down'));
    const handler = onceEachSqsRecord({ handleOnce, parse, onEvent }, () => expect.unreachable());
    expect(await handler(sqsEvent(sqsRecord('id-1', '{}')), ample())).toEqual(failures('id-1'));
    expect(reasons()).toEqual({ 'id-1': 'released' });
  });

  test('in-flight elsewhere, and not waited for', async () => {
    const { handleOnce } = bench();
    const { onEvent, reasons } = recorder();
    const done = gate();
    const elsewhere = handleOnce('id-1', '{}', () => done.opened);
    const handler = onceEachSqsRecord({ handleOnce, onEvent }, () => expect.unreachable());
    expect(await handler(sqsEvent(sqsRecord('id-1', '{}')), ample())).toEqual(failures('id-1'));
    expect(reasons()).toEqual({ 'id-1': 'in-flight' });
    done.open();
    await elsewhere;
  });

  test.each([
    ['a key that is none', () => ''],
    ['no key', () => undefined],
  ])('invalid-key, of %s', async (_, key) => {
    const { handleOnce } = bench();
    const { onEvent, events, reasons } = recorder();
    const handler = onceEachSqsRecord({ handleOnce, key, onEvent }, () => expect.unreachable());
    expect(await handler(sqsEvent(sqsRecord('id-1', '{}')), ample())).toEqual(failures('id-1'));
    expect(reasons()).toEqual({ 'id-1': 'invalid-key' });
    expect(events).toMatchObject([{ type: 'kept', error: { code: 'INVALID_KEY' } }]);
  });

  test('nothing of the payload is in the events', async () => {
    const { handleOnce } = bench();
    const { onEvent, events } = recorder();
    const handler = onceEachSqsRecord({ handleOnce, onEvent, schema: z.string() }, () => 1);
    await handler(sqsEvent(sqsRecord('id-1', '{"secret":1}')), ample());
    await handler(sqsEvent(sqsRecord('id-1', '{"secret":2}')), ample());
    expect(JSON.stringify(events)).not.toContain('secret');
    expect(events).toMatchObject([{ reason: 'failed' }, { reason: 'mismatch' }]);
  });
});

describe('A standard queue', () => {
  test('has its records run side by side, also those that tell a group; only the failed are reported', async () => {
    const { handleOnce } = bench();
    const all = gate();
    let running = 0;
    const handler = onceEachSqsRecord({ handleOnce }, async (n) => {
      running += 1;
      if (running === 10) all.open();
      // Only ends if all ten run at once.
      await all.opened;
      if (n === 3 || n === 7) throw new Error('not now');
    });
    const records = Array.from({ length: 10 }, (_, n) => {
      const record = sqsRecord(`id-${n}`, String(n));
      return { ...record, attributes: { ...record.attributes, MessageGroupId: 'tenant' } };
    });
    expect(await handler(sqsEvent(...records), ample())).toEqual(failures('id-3', 'id-7'));
  });

  test('never has more at once than concurrency', async () => {
    const { handleOnce } = bench();
    let running = 0;
    let most = 0;
    const handler = onceEachSqsRecord({ handleOnce, concurrency: 2 }, async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    });
    const records = Array.from({ length: 7 }, (_, n) => sqsRecord(`id-${n}`, '{}'));
    expect(await handler(sqsEvent(...records), ample())).toEqual(NONE);
    expect(most).toBe(2);
  });
});

describe('A FIFO queue', () => {
  const event = sqsEvent(
    fifoRecord('a0', '"a0"', 'a'),
    fifoRecord('b0', '"b0"', 'b'),
    fifoRecord('a1', '"a1"', 'a'),
    fifoRecord('b1', '"b1"', 'b'),
    fifoRecord('a2', '"a2"', 'a'),
    fifoRecord('a3', '"a3"', 'a'),
  );

  test('runs each group in order, and groups side by side', async () => {
    const { handleOnce } = bench();
    const both = gate();
    const started: unknown[] = [];
    const handler = onceEachSqsRecord({ handleOnce }, async (payload) => {
      started.push(payload);
      if (started.includes('a0') && started.includes('b0')) both.open();
      await both.opened;
    });
    expect(await handler(event, ample())).toEqual(NONE);
    expect(started.filter((payload) => String(payload).startsWith('a'))).toEqual(['a0', 'a1', 'a2', 'a3']);
    expect(started.filter((payload) => String(payload).startsWith('b'))).toEqual(['b0', 'b1']);
  });

  test('has what stands behind a reported one of its group reported, and not run', async () => {
    const { handleOnce } = bench({ backoff: () => 0 });
    const { onEvent, reasons } = recorder();
    const ran: string[] = [];
    const handler = onceEachSqsRecord({ handleOnce, onEvent }, (payload, { number }) => {
      ran.push(`${String(payload)}#${number}`);
      if (payload === 'a1' && number === 1) throw new Error('not yet');
    });
    expect(await handler(event, ample())).toEqual(failures('a1', 'a2', 'a3'));
    expect(reasons()).toEqual({ a1: 'released', a2: 'behind', a3: 'behind' });
    // What was not deleted comes again.
    const again = sqsEvent(...event.Records.filter(({ messageId }) => /a[123]/.test(messageId)));
    expect(await handler(again, ample())).toEqual(NONE);
    expect(ran.filter((name) => name.startsWith('a'))).toEqual(['a0#1', 'a1#1', 'a1#2', 'a2#1', 'a3#1']);
  });

  test('warns of the first that is deferred', async () => {
    const { handleOnce } = bench();
    const { events, onEvent } = recorder();
    const handler = onceEachSqsRecord({ handleOnce, onEvent }, () => {
      throw new RetryableError('not yet', { counted: false });
    });
    expect(await handler(sqsEvent(sqsRecord('id-1', '1')), ample())).toEqual(failures('id-1'));
    await handler(event, ample());
    const warned = events.flatMap((each) => (each.type === 'warning' ? [each.warning] : []));
    expect(warned).toEqual(['DEFERRED_IN_GROUP']);
  });

  test('reports what was claimed behind one that cannot be recorded, and does not run it', async () => {
    const settle = () => Promise.reject(new StoreError('refused', { retriable: false }));
    const { handleOnce } = bench({ store: { ...createMemoryStore(), settle } });
    const { onEvent, reasons } = recorder();
    const ran: unknown[] = [];
    const handler = onceEachSqsRecord({ handleOnce, onEvent }, (payload) => ran.push(payload));
    const records = sqsEvent(fifoRecord('a0', '"a0"', 'a'), fifoRecord('a1', '"a1"', 'a'));
    expect(await handler(records, ample())).toEqual(failures('a0', 'a1'));
    expect([ran, reasons()]).toEqual([['a0'], { a0: 'unrecorded', a1: 'behind' }]);
  });

  test('goes on behind one that failed for good and is deleted', async () => {
    const { handleOnce } = bench();
    const ran: unknown[] = [];
    const handler = onceEachSqsRecord({ handleOnce, onFailed: 'acknowledge' }, (payload) => {
      ran.push(payload);
      if (payload === 'a1') throw new TerminalError('never');
    });
    expect(await handler(event, ample())).toEqual(NONE);
    expect(ran).toHaveLength(6);
  });

  test('does not go on behind one that failed for good and is left to the redrive policy, as by default', async () => {
    const { handleOnce } = bench();
    const handler = onceEachSqsRecord({ handleOnce }, (payload) => {
      if (payload === 'a1') throw new TerminalError('never');
    });
    expect(await handler(event, ample())).toEqual(failures('a1', 'a2', 'a3'));
  });
});

describe('A dead letter', () => {
  const record = sqsRecord('id-1', '{"order":1}', {
    messageAttributes: {
      Tenant: { stringValue: 'acme', dataType: 'String' },
      Raw: { binaryValue: 'AP8=', dataType: 'Binary' },
    },
  });

  test('has the body and attributes of the record, and why it is there; the record is not reported', async () => {
    const { handleOnce } = bench();
    const { sent, onFailed } = deadLetterQueue();
    const handler = onceEachSqsRecord({ handleOnce, onFailed }, throwing(new TerminalError('never')));
    expect(await handler(sqsEvent(record), ample())).toEqual(NONE);
    expect(handler.counts()).toEqual({ 'dead-lettered': 1, acknowledged: 1 });
    expect(sent).toEqual([
      {
        QueueUrl: deadLetterQueueUrl,
        MessageBody: '{"order":1}',
        MessageAttributes: {
          Tenant: { DataType: 'String', StringValue: 'acme' },
          Raw: { DataType: 'Binary', BinaryValue: Buffer.from([0, 255]) },
          HandleOnceScope: { DataType: 'String', StringValue: 'orders' },
          HandleOnceKey: { DataType: 'String', StringValue: 'id-1' },
          HandleOnceError: { DataType: 'String', StringValue: 'TerminalError: never' },
          HandleOnceAttempts: { DataType: 'Number', StringValue: '1' },
        },
      },
    ]);
  });

  test('is made of the event of a test too, which can lack its attributes', async () => {
    const { handleOnce } = bench();
    const { sent, onFailed } = deadLetterQueue();
    const lacking = JSON.parse(JSON.stringify({ ...record, messageAttributes: undefined })) as SqsRecord;
    const seen: SqsRecord[] = [];
    const handler = onceEachSqsRecord({ handleOnce, onFailed }, (_payload, attempt) => {
      seen.push(attempt.record);
      throw new TerminalError('never');
    });
    expect(await handler(sqsEvent(lacking), ample())).toEqual(NONE);
    expect(sent).toMatchObject([{ MessageBody: '{"order":1}' }]);
    expect(seen).toEqual([{ ...lacking, messageAttributes: {} }]);
  });

  test('of a FIFO queue keeps its group, and is one dead letter however often it is sent', async () => {
    const { handleOnce } = bench();
    const { sent, onFailed } = deadLetterQueue();
    const fifo = { ...onFailed, deadLetterQueueUrl: `${deadLetterQueueUrl}.fifo` };
    const handler = onceEachSqsRecord({ handleOnce, onFailed: fifo }, throwing(new TerminalError('never')));
    await handler(sqsEvent(fifoRecord('id-1', '1', 'a'), sqsRecord('id-2', '2')), ample());
    expect(sent).toMatchObject([
      { MessageGroupId: 'a', MessageDeduplicationId: 'id-1' },
      { MessageGroupId: 'handle-once', MessageDeduplicationId: 'id-2' },
    ]);
  });

  test('that cannot be sent has its record reported, and the dead letter sent at the next delivery', async () => {
    const { handleOnce } = bench();
    const { onEvent, reasons } = recorder();
    let isDown = true;
    const { sent, onFailed } = deadLetterQueue(() =>
      isDown ? Promise.reject(new Error('down')) : Promise.resolve(),
    );
    const handler = onceEachSqsRecord(
      { handleOnce, onFailed, onEvent },
      throwing(new TerminalError('never')),
    );
    expect(await handler(sqsEvent(record), ample())).toEqual(failures('id-1'));
    expect(reasons()).toEqual({ 'id-1': 'dead-letter-refused' });
    isDown = false;
    expect(await handler(sqsEvent(record), ample())).toEqual(NONE);
    expect(sent).toHaveLength(2);
  });

  test('is made of a mismatch, and of one with an invalid key', async () => {
    const { handleOnce } = bench();
    await handleOnce('id-1', 'another body', () => 1);
    const { sent, onFailed } = deadLetterQueue();
    const key = ({ messageId }: SqsRecord) => messageId.replace('id-2', '');
    const handler = onceEachSqsRecord({ handleOnce, onFailed, key }, () => expect.unreachable());
    expect(await handler(sqsEvent(record, sqsRecord('id-2', '{}')), ample())).toEqual(NONE);
    expect(
      sent.map(({ MessageAttributes }) => MessageAttributes['HandleOnceError']?.StringValue).toSorted(),
    ).toEqual([
      'InvalidKeyError: key must not be empty',
      expect.stringMatching(/^PayloadMismatchError: key "id-1" in scope "orders" is on record/) as string,
    ]);
  });
});

test('an event of another source is refused as a whole', async () => {
  const { handleOnce } = bench();
  const handler = onceEachSqsRecord({ handleOnce }, () => expect.unreachable());
  await expect(handler({ records: {} } as never, ample())).rejects.toThrow(
    /onceEachSqsRecord: event.Records: must be/,
  );
});

test('the order of the failures is that of the event, per queue', async () => {
  const { handleOnce } = bench();
  const handler = onceEachSqsRecord({ handleOnce }, throwing(new Error('no')));
  const records = ['c', 'a', 'b'].map((id) => sqsRecord(id, '{}', { eventSourceARN: QUEUE_ARN }));
  expect(await handler(sqsEvent(...records), ample())).toEqual(failures('c', 'a', 'b'));
});

test('A damaged record is reported, and nothing runs', async () => {
  const { handleOnce } = bench({ store: damagedStore() });
  const events: object[] = [];
  const onEvent = (event: object): unknown => events.push(event);
  let runs = 0;
  const handler = onceEachSqsRecord({ handleOnce, onEvent }, () => void (runs += 1));
  const event = sqsEvent(sqsRecord('id-1', '{}'));
  expect(await handler(event, ample())).toEqual(NONE);
  expect(await handler(event, ample())).toEqual(failures('id-1'));
  expect(events.at(-1)).toMatchObject({
    type: 'kept',
    reason: 'error',
    error: { code: 'DAMAGED_RECORD' },
  });
  expect(runs).toBe(1);
});

describe('Under a key of the user’s own', () => {
  const eventOf = (sentAt: number) => sqsEvent(sqsRecord(`id-${sentAt}`, JSON.stringify({ id: 1, sentAt })));
  const once = (options: object, run: () => unknown) => {
    const { handleOnce } = bench();
    return onceEachSqsRecord({ handleOnce, key: () => 'order-1', ...options }, run);
  };

  test.each<[string, object]>([
    ['ignoredFields', { ignoredFields: ['/sentAt'] }],
    [
      'fingerprint',
      { fingerprint: (body: string, { eventSource }: SqsRecord) => [body.slice(0, 7), eventSource] },
    ],
    ['no fingerprint', { fingerprint: false }],
  ])('records that differ are one by %s', async (_, options) => {
    let runs = 0;
    const handler = once(options, () => (runs += 1));
    expect(await handler(eventOf(1), ample())).toEqual(NONE);
    expect(await handler(eventOf(2), ample())).toEqual(NONE);
    expect(runs).toBe(1);
  });
});

describe('A function that throws', () => {
  const broken = throwing(new RangeError('no header'));
  const good = sqsRecord('good', '{"id":1}');
  const bad = sqsRecord('bad', 'no JSON');
  const idOf = (body: string) => String((JSON.parse(body) as { id: number }).id);

  test.each<[field: string, what: string, options: object, core: object]>([
    ['key', 'key', { key: broken }, {}],
    ['fingerprint', 'fingerprint', { fingerprint: broken }, {}],
    ['fingerprint', 'fingerprint of its handleOnce', {}, { fingerprint: broken }],
  ])(
    'for every record is at fault itself, and none is dead-lettered: %s (%s)',
    async (field, _, given, core) => {
      const { handleOnce } = bench(core);
      const { sent, onFailed } = deadLetterQueue();
      const { onEvent, events, reasons } = recorder();
      const handler = onceEachSqsRecord({ handleOnce, onFailed, onEvent, ...given }, () =>
        expect.unreachable(),
      );
      const ids = Array.from({ length: 25 }, (__, n) => `id-${n}`);
      const event = sqsEvent(...ids.map((id) => sqsRecord(id, '1')));
      expect(await handler(event, ample())).toEqual(failures(...ids));
      expect(sent).toEqual([]);
      expect(reasons()).toEqual(Object.fromEntries(ids.map((id) => [id, 'error'])));
      const message = expect.stringContaining(
        `onceEachSqsRecord: ${field}: threw (RangeError), and has not worked yet`,
      ) as string;
      expect(events[0]).toMatchObject({ error: { code: 'INVALID_OPTIONS', message } });
    },
  );

  test.each<[string, object, error: RegExp]>([
    ['key', { key: ({ body }: SqsRecord) => idOf(body) }, /^InvalidKeyError: the key function threw/],
    ['fingerprint', { fingerprint: idOf }, /^UnhashablePayloadError: the fingerprint function threw/],
  ])('for one record is the fault of that, which is dead-lettered: %s', async (_, options, error) => {
    const { handleOnce } = bench();
    const { sent, onFailed } = deadLetterQueue();
    const handler = onceEachSqsRecord({ handleOnce, onFailed, ...options }, () => 1);
    // Also where it is the first that this execution environment gets.
    expect(await handler(sqsEvent(bad, good), ample())).toEqual(NONE);
    expect(await handler(sqsEvent({ ...bad, messageId: 'later' }), ample())).toEqual(NONE);
    expect(sent.map(({ MessageAttributes }) => MessageAttributes['HandleOnceError']?.StringValue)).toEqual([
      expect.stringMatching(error),
      expect.stringMatching(error),
    ]);
  });
});
