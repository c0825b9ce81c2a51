import { describe, expect, test } from 'vitest';
import { useFakeTimers } from '../support/fake-timers.ts';
import { gate } from '../support/gate.ts';
import { bench, pass } from './support/bench.ts';
import { fakeAdmin } from './support/fake-admin.ts';
import { type BatchParts, fakeBatch } from './support/fake-batch.ts';
import { message } from './support/messages.ts';

useFakeTimers();

type Bed = Awaited<ReturnType<typeof readTo12>>;
type Batch = ReturnType<typeof fakeBatch>;

/** A consumer that has handled everything up to 12, of a partition that begins at 5. */
async function readTo12(options: Parameters<typeof bench>[0] = {}) {
  const admin = fakeAdmin();
  admin.lows['orders/0'] = '5';
  admin.ends['orders/0'] = '50';
  const bed = bench({ admin, ...options });
  const fetch = async (offset: number, parts: BatchParts = {}) => {
    const batch = fakeBatch([message(offset)], { from: offset, ...parts });
    bed.run(batch);
    await pass();
    return batch;
  };
  await fetch(11);
  bed.started.length = 0;
  bed.consumer.calls.length = 0;
  const seeks = () => bed.consumer.calls.filter((call) => call.startsWith('seek'));
  return { ...bed, admin, fetch, seeks };
}

describe('a client that would skip unread messages', () => {
  test('is sent back to where it was left, and nothing runs or is committed', async () => {
    const { fetch, started, seeks, eventsOf } = await readTo12();
    const batch = await fetch(30);
    expect([started, batch.committed, seeks()]).toEqual([[], [], ['seek orders/0 12']]);
    expect(eventsOf('partition-paused')).toMatchObject([{ retryAfterMs: 500 }]);
    expect(eventsOf('log-changed')).toMatchObject([
      { reason: 'position-moved', expected: '12', found: '30' },
    ]);
    await fetch(12);
    expect(started).toEqual(['12']);
  });

  test('commits where it is sent, and not where it was, when the fetch has ended', async () => {
    const { fetch } = await readTo12();
    const batch = await fetch(30);
    expect(batch.resolved.map(Number)).toEqual([12 - 1]);
  });

  test('is sent to the oldest message that is left', async () => {
    const { admin, fetch, seeks } = await readTo12();
    admin.lows['orders/0'] = '20';
    await fetch(30);
    expect(seeks()).toEqual(['seek orders/0 20']);
  });

  test('is sent to the oldest message of its own partition', async () => {
    const { admin, consumer, fetch, seeks } = await readTo12();
    consumer.join({ orders: [0, 1] });
    await fetch(11, { partition: 1 });
    Object.assign(admin.ends, { 'orders/1': '50' });
    Object.assign(admin.lows, { 'orders/0': '15', 'orders/1': '20' });
    await fetch(30, { partition: 1 });
    expect(seeks()).toEqual(['seek orders/1 20']);
  });

  test('goes on where nothing is left before it', async () => {
    const { admin, fetch, started, seeks } = await readTo12();
    admin.lows['orders/0'] = '30';
    await fetch(30);
    expect([started, seeks()]).toEqual([['30'], []]);
  });

  test('waits while that cannot be told', async () => {
    const { admin, fetch, started, eventsOf } = await readTo12();
    admin.error = new Error('no answer');
    const batch = await fetch(30);
    expect([started, batch.committed]).toEqual([[], []]);
    // What kafkajs commits when the fetch ends.
    expect(batch.resolved.map(Number)).toEqual([12 - 1]);
    expect(eventsOf('client-error')).toMatchObject([{ verb: 'watch' }]);
    expect(eventsOf('partition-paused')).toHaveLength(1);
  });

  test.each([
    [
      'the group meets again',
      ({ consumer }: Bed) => {
        consumer.join({ orders: [0] });
      },
    ],
    [
      'the user moves it',
      (_: Bed, batch: Batch) => {
        batch.does.isStale = true;
      },
    ],
  ])('is not moved where %s before the log has answered', async (_, happens) => {
    const bed = await readTo12();
    const answer = gate();
    const { admin } = bed;
    const ask = admin.fetchTopicOffsets.bind(admin);
    admin.fetchTopicOffsets = async (topic) => {
      await answer.opened;
      return await ask(topic);
    };
    const batch = await bed.fetch(30);
    happens(bed, batch);
    answer.open();
    await pass();
    expect([bed.seeks(), bed.started, batch.committed]).toEqual([[], [], []]);
    expect(bed.eventsOf('partition-paused')).toEqual([]);
  });

  test('is let go on when that comes to nothing again and again', async () => {
    const { fetch, started, seeks } = await readTo12();
    for (let tries = 0; tries < 10; tries += 1) await fetch(30);
    expect([started, seeks().length]).toEqual([[], 10]);
    await fetch(30);
    expect(started).toEqual(['30']);
  });

  test('is not sent back from where its user has moved it', async () => {
    const { consumer, fetch, started, seeks } = await readTo12();
    consumer.seek({ topic: 'orders', partition: 0, offset: '30' });
    await fetch(30);
    expect([started, seeks()]).toEqual([['30'], ['seek orders/0 30']]);
  });

  test('is sent back to where its user has moved it, where that was forgotten', async () => {
    const { consumer, fetch, started, seeks, eventsOf } = await readTo12();
    consumer.seek({ topic: 'orders', partition: 0, offset: '7' });
    const batch = await fetch(30);
    expect([started, batch.committed, seeks()]).toEqual([[], [], ['seek orders/0 7', 'seek orders/0 7']]);
    expect(eventsOf('log-changed')).toMatchObject([{ reason: 'position-moved', expected: '7', found: '30' }]);
    await fetch(7);
    expect(started).toEqual(['7']);
  });

  test.each(['-1', '-2'])(
    'is not sent back where only the client knows which offset %s is',
    async (offset) => {
      const { consumer, fetch, started } = await readTo12();
      consumer.seek({ topic: 'orders', partition: 0, offset });
      await fetch(30);
      expect(started).toEqual(['30']);
    },
  );

  test('after a rejoin may go on where another member has come to', async () => {
    const { admin, consumer, fetch, started, seeks } = await readTo12();
    admin.lows['orders/0'] = '12';
    consumer.join({ orders: [0] });
    await fetch(30);
    expect([started, seeks()]).toEqual([['30'], []]);
  });

  test('after a rejoin is sent to the oldest message, where its position is gone', async () => {
    const { admin, consumer, fetch, started, seeks } = await readTo12();
    admin.lows['orders/0'] = '20';
    consumer.join({ orders: [0] });
    await fetch(30);
    expect([started, seeks()]).toEqual([[], ['seek orders/0 20']]);
  });

  test('after a stop begins where the group says', async () => {
    const { admin, consumer, config, fetch, started } = await readTo12();
    admin.lows['orders/0'] = '20';
    await consumer.stop();
    await consumer.run(config as never);
    consumer.join({ orders: [0] });
    await fetch(30);
    expect(started).toEqual(['30']);
  });
});
