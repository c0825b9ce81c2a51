import { randomUUID } from 'node:crypto';
import { createHandleOnce, type HandleOnceEvent, TerminalError } from 'handle-once';
import {
  onceEachKafkaRecord,
  onceEachSqsRecord,
  type SqsRecord,
  type SqsRecordEvent,
  type KafkaRecordEvent,
} from 'handle-once/lambda';
import type postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { useShipped } from '../support/shipped.ts';
import { aborted, gate } from '../support/gate.ts';
import {
  ample,
  contextWith,
  fifoRecord,
  kafkaRecord,
  mskEvent,
  sqsEvent,
  sqsRecord,
} from './support/events.ts';

const { sql } = useDatabase();
const MARGIN_MS = 800;

const shipped = useShipped(sql);

async function ship(tx: postgres.TransactionSql, ids: readonly string[]): Promise<void> {
  await tx`insert into shipped ${tx(ids.map((id) => ({ id })))}`;
}

/** What both sources are given, and what happens. */
function setup(size: number) {
  const kept: Record<string, string> = {};
  const ofCore: HandleOnceEvent[] = [];
  const handleOnce = createHandleOnce({
    sql,
    scope: randomUUID(),
    backoff: () => 0,
    onEvent: (event) => ofCore.push(event),
  });
  const onEvent = (event: SqsRecordEvent | KafkaRecordEvent): void => {
    if (event.type !== 'kept') return;
    const { itemIdentifier: id } = event;
    kept[typeof id === 'string' ? id : `${id.partition}-${id.offset}`] = event.reason;
  };
  const batch = { size };
  return {
    options: { handleOnce, parse: String, batch, onEvent, deadlineMarginMs: MARGIN_MS },
    kept,
    ofCore,
  };
}

const inTransaction = true as const;
const failures = (...ids: string[]) => ({
  batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })),
});
const NONE = failures();
const standard = (...ids: string[]) => sqsEvent(...ids.map((id) => sqsRecord(id, id)));
/** Records whose groups are their first letters. */
const fifo = (...ids: string[]) => sqsEvent(...ids.map((id) => fifoRecord(id, id, id.charAt(0))));

describe('Records of a standard queue', () => {
  test('run in batches, each in one transaction, and are answered from their records later', async () => {
    const { options } = setup(2);
    const ran: string[][] = [];
    const transactions = new Set<string>();
    const handler = onceEachSqsRecord({ ...options, inTransaction }, async (ids, attempts, tx) => {
      ran.push([...ids]);
      expect(attempts.map(({ record, number }) => [record.body, number])).toEqual(ids.map((id) => [id, 1]));
      const [row] = await tx<{ id: string }[]>`select pg_current_xact_id()::text as id`;
      transactions.add(String(row?.id));
      await ship(tx, ids);
    });
    const event = standard('1', '2', '3', '4', '5');
    expect(await handler(event, ample())).toEqual(NONE);
    expect(ran.toSorted()).toEqual([['1', '2'], ['3', '4'], ['5']]);
    expect(transactions.size).toBe(3);
    expect(await handler(event, ample())).toEqual(NONE);
    expect(ran).toHaveLength(3);
    expect(handler.counts()).toMatchObject({ acknowledged: 10, replayed: 5 });
    expect(await shipped()).toEqual(['1', '2', '3', '4', '5']);
  });

  test('of which one is bad are rolled back as a batch, and the bad one alone is reported', async () => {
    const { options, kept } = setup(10);
    const ran: string[][] = [];
    const handler = onceEachSqsRecord({ ...options, inTransaction }, async (ids, _, tx) => {
      ran.push([...ids]);
      await ship(tx, ids);
      if (ids.includes('bad')) throw new Error('bad');
    });
    const event = standard('1', 'bad', '3');
    expect(await handler(event, ample())).toEqual(failures('bad'));
    expect(ran).toEqual([['1', 'bad', '3'], ['1'], ['bad'], ['3']]);
    expect(kept).toEqual({ bad: 'released' });
    expect(await shipped()).toEqual(['1', '3']);
  });

  test('can be marked as failed, each by itself', async () => {
    const { options } = setup(10);
    const handler = onceEachSqsRecord(options, (ids, attempts) => {
      attempts[ids.indexOf('bad')]?.fail(new Error('bad'));
    });
    expect(await handler(standard('1', 'bad', '3'), ample())).toEqual(failures('bad'));
  });

  test('of a handler that always throws run alone from then on, until each has failed for good', async () => {
    const { options, kept } = setup(10);
    const ran: string[][] = [];
    const handler = onceEachSqsRecord({ ...options, maxAttempts: 2, onFailed: 'acknowledge' }, (ids) => {
      ran.push([...ids]);
      throw new TerminalError('never');
    });
    const event = standard('1', '2');
    expect(await handler(event, ample())).toEqual(failures('1', '2'));
    expect(kept).toEqual({ 1: 'released', 2: 'released' });
    expect(await handler(event, ample())).toEqual(NONE);
    expect(ran).toEqual([['1', '2'], ['1'], ['2']]);
  });

  test('run in no more batches at once than concurrency', async () => {
    const { options } = setup(2);
    let running = 0;
    let most = 0;
    const both = gate();
    const handler = onceEachSqsRecord({ ...options, concurrency: 2 }, async () => {
      running += 1;
      most = Math.max(most, running);
      if (running === 2) both.open();
      await both.opened;
      await new Promise((resolve) => setTimeout(resolve, 20));
      running -= 1;
    });
    expect(await handler(standard('1', '2', '3', '4', '5', '6', '7'), ample())).toEqual(NONE);
    expect(most).toBe(2);
  });

  test('of one key run once, the first of them', async () => {
    const { options } = setup(10);
    const ran: string[][] = [];
    const handler = onceEachSqsRecord({ ...options, key: ({ body }: SqsRecord) => body }, (ids) => {
      ran.push([...ids]);
    });
    const event = sqsEvent(sqsRecord('id-1', 'a'), sqsRecord('id-2', 'b'), sqsRecord('id-3', 'a'));
    expect(await handler(event, ample())).toEqual(NONE);
    expect(ran).toEqual([['a', 'b']]);
  });

  test('that cannot be parsed are not in the batch', async () => {
    const { options } = setup(10);
    const ran: unknown[] = [];
    const handler = onceEachSqsRecord({ ...options, parse: JSON.parse }, (payloads) => {
      ran.push(payloads);
    });
    expect(await handler(standard('1', '{', '3'), ample())).toEqual(failures('{'));
    expect(ran).toEqual([[1, 3]]);
  });
});

describe('Records of message groups', () => {
  test('share a batch where their groups fit into it, each group in its order', async () => {
    const { options } = setup(3);
    const ran: string[][] = [];
    const handler = onceEachSqsRecord(options, (ids) => {
      ran.push([...ids]);
    });
    expect(await handler(fifo('a0', 'b0', 'a1', 'c0', 'b1'), ample())).toEqual(NONE);
    expect(ran.toSorted()).toEqual([
      ['a0', 'a1'],
      ['b0', 'b1', 'c0'],
    ]);
  });

  test('behind one that is reported are reported too, and have not run', async () => {
    const { options, kept, ofCore } = setup(10);
    const ran: string[][] = [];
    const handler = onceEachSqsRecord({ ...options, inTransaction }, async (ids, _, tx) => {
      ran.push([...ids]);
      await ship(tx, ids);
      if (ids.includes('a1')) throw new Error('bad');
    });
    expect(await handler(fifo('a0', 'b0', 'a1', 'b1', 'a2'), ample())).toEqual(failures('a1', 'a2'));
    expect(ran).toEqual([['a0', 'a1', 'a2', 'b0', 'b1'], ['a0'], ['a1'], ['b0'], ['b1']]);
    expect(kept).toEqual({ a1: 'released', a2: 'behind' });
    expect(ofCore.filter((event) => 'key' in event && event.key === 'a2').at(-1)).toMatchObject({
      type: 'released',
      attempts: 0,
    });
    expect(await shipped()).toEqual(['a0', 'b0', 'b1']);
  });

  test('that ran together with one that is marked as failed are done', async () => {
    const { options, kept } = setup(10);
    const ran: string[][] = [];
    const handler = onceEachSqsRecord(options, (ids, attempts) => {
      ran.push([...ids]);
      const bad = attempts[ids.indexOf('a1')];
      if (bad?.number === 1) bad.fail(new Error('bad'));
    });
    expect(await handler(fifo('a0', 'a1', 'a2'), ample())).toEqual(failures('a1'));
    expect(kept).toEqual({ a1: 'released' });
    expect(await handler(fifo('a1', 'a3', 'a4'), ample())).toEqual(NONE);
    expect(ran).toEqual([['a0', 'a1', 'a2'], ['a1'], ['a3', 'a4']]);
  });

  test('that are more than a batch wait for the batch before, and do not start once it ends their group', async () => {
    const { options, kept } = setup(2);
    const ran: string[][] = [];
    let running = 0;
    const handler = onceEachSqsRecord({ ...options, inTransaction }, async (ids) => {
      running += 1;
      expect(running).toBe(1);
      ran.push([...ids]);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running -= 1;
      if (ids.includes('a3')) throw new Error('bad');
    });
    const event = fifo('a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6');
    expect(await handler(event, ample())).toEqual(failures('a3', 'a4', 'a5', 'a6'));
    expect(ran).toEqual([['a0', 'a1'], ['a2', 'a3'], ['a2'], ['a3']]);
    expect(kept).toEqual({ a3: 'released', a4: 'behind', a5: 'behind', a6: 'behind' });
  });
});

test('two records of one key in a message group run in order, once', async () => {
  for (let n = 0; n < 10; n += 1) {
    const { options, kept } = setup(10);
    const ran: string[][] = [];
    const handler = onceEachSqsRecord({ ...options, key: ({ body }: SqsRecord) => body }, (ids) => {
      ran.push([...ids]);
    });
    const bodies = ['a', 'b', 'a', 'c'];
    const event = sqsEvent(...bodies.map((body, index) => fifoRecord(`id-${index}`, body, 'group')));
    expect(await handler(event, ample())).toEqual(NONE);
    expect([ran, kept]).toEqual([[['a', 'b'], ['c']], {}]);
  }
});

describe('Records of Kafka', () => {
  const mapping = { groupId: 'billing', onFailed: 'acknowledge', onKept: 'report' } as const;
  const eventOf = (...values: string[]) =>
    mskEvent(...values.map((value) => kafkaRecord('orders', Number(value[0]), Number(value[2]), value)));

  test('run in batches of one partition, and behind one that is kept nothing of its partition runs', async () => {
    const { options, kept } = setup(3);
    const ran: string[][] = [];
    const handler = onceEachKafkaRecord(
      { ...options, ...mapping, inTransaction },
      async (deliveries, _, tx) => {
        const ids = deliveries.map(({ payload }) => payload);
        expect(ids).toEqual(deliveries.map(({ partition, message }) => `${partition}-${message.offset}`));
        ran.push(ids);
        await ship(tx, ids);
        if (ids.includes('0-4')) throw new Error('bad');
      },
    );
    const event = eventOf('0-1', '1-1', '0-2', '0-3', '1-2', '0-4', '0-5', '0-6', '0-7');
    expect(await handler(event, ample())).toEqual({
      batchItemFailures: [4, 5, 6, 7].map((offset) => ({
        itemIdentifier: { partition: 'orders-0', offset },
      })),
    });
    const of = (partition: string) => ran.filter(([id]) => id?.startsWith(partition));
    expect(of('0')).toEqual([['0-1', '0-2', '0-3'], ['0-4', '0-5', '0-6'], ['0-4']]);
    expect(of('1')).toEqual([['1-1', '1-2']]);
    expect(kept).toEqual({
      'orders-0-4': 'released',
      'orders-0-5': 'behind',
      'orders-0-6': 'behind',
      'orders-0-7': 'behind',
    });
    expect(await shipped()).toEqual(['0-1', '0-2', '0-3', '1-1', '1-2']);
  });
});

describe('Before the deadline', () => {
  test.each([true, false])(
    'a batch gives up, uncounted, and no other one starts (in a transaction: %j)',
    async (inTransaction) => {
      const { options, kept, ofCore } = setup(2);
      const ran: string[][] = [];
      const run = async (ids: readonly string[], [first]: readonly { signal: AbortSignal }[]) => {
        ran.push([...ids]);
        throw await aborted(first?.signal ?? expect.unreachable());
      };
      const handler = inTransaction
        ? onceEachSqsRecord({ ...options, concurrency: 1, inTransaction }, run)
        : onceEachSqsRecord({ ...options, concurrency: 1 }, run);
      const context = contextWith(MARGIN_MS + 700);
      expect(await handler(standard('1', '2', '3'), context)).toEqual(failures('1', '2', '3'));
      expect(context.getRemainingTimeInMillis()).toBeGreaterThan(0);
      expect(ran).toEqual([['1', '2']]);
      expect(kept).toEqual({ 1: 'released', 2: 'released', 3: 'out-of-time' });
      expect(ofCore.slice(-2)).toMatchObject(Array(2).fill({ type: 'released', attempts: 0 }));
    },
  );

  test('a batch that ignores its signal is not waited for', async () => {
    const { options, kept } = setup(2);
    const done = gate();
    const handler = onceEachSqsRecord(options, () => done.opened);
    expect(await handler(standard('1', '2'), contextWith(MARGIN_MS + 700))).toEqual(failures('1', '2'));
    expect(kept).toEqual({ 1: 'unfinished', 2: 'unfinished' });
    done.open();
    await expect.poll(() => handler(standard('1', '2'), ample())).toEqual(NONE);
  });
});
