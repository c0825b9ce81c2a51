import { TerminalError } from 'handle-once';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, test } from 'vitest';
import { useFakeTimers } from '../support/fake-timers.ts';
import { BACKOFF_MS, bench, type BenchOptions, pass } from './support/bench.ts';
import { type BatchParts, fakeBatch } from './support/fake-batch.ts';
import { message } from './support/messages.ts';

useFakeTimers();

const messages = (count = 4) => Array.from({ length: count }, (_, index) => message(10 + index));

/** A fetch whose first message is pending; 11 and 13 succeed ahead of it, and 12 fails permanently. */
async function pendingAhead(options: BenchOptions = {}) {
  const claimed: string[] = [];
  const memory = createMemoryStore();
  const store: typeof memory = {
    ...memory,
    claim: (requests, terms) => {
      claimed.push(...requests.map(({ key }) => key));
      return memory.claim(requests, terms);
    },
  };
  const sent: unknown[] = [];
  const producer = { send: (record: unknown) => Promise.resolve(sent.push(record)) };
  const bed = bench({
    ordering: 'unordered',
    onFailed: { deadLetterTopic: 'dead', producer },
    ...options,
    store,
    work: ({ message: { offset } }, { number }) => {
      if (offset === '12') throw new TerminalError('never');
      if (offset === '10' && number === 1) throw new Error('not yet');
    },
  });
  const deliver = async (batch = fakeBatch(messages())) => {
    claimed.length = 0;
    bed.events.length = 0;
    const handled = bed.run(batch);
    await pass();
    expect(handled.state).toBe('ended');
    return batch;
  };
  const fetchAgain = (parts: BatchParts, of = messages()) => deliver(fakeBatch(of, parts));
  const first = await deliver();
  expect([first.resolved, sent.length]).toEqual([[], 1]);
  return { ...bed, claimed, sent, deliver, fetchAgain };
}

describe('what is settled ahead of a pending message', () => {
  test('is not looked up, replayed, told or dead-lettered again when it is fetched again', async () => {
    const { deliver, claimed, sent, events, config, started } = await pendingAhead();
    const before = config.counts();
    await pass(1_000);
    const stillPending = await deliver();
    expect([claimed, stillPending.resolved, sent.length]).toEqual([['orders-0-10'], [], 1]);
    expect(events.map(({ type }) => type)).toEqual(['kept', 'partition-paused']);
    expect([before.replayed, config.counts().replayed]).toEqual([undefined, undefined]);
    await pass(BACKOFF_MS);
    const last = await deliver();
    expect([claimed, last.resolved, last.committed]).toEqual([['orders-0-10'], ['13'], ['14']]);
    expect(events.map(({ type }) => type)).toEqual(['acknowledged']);
    expect([sent.length, started]).toEqual([1, ['10', '11', '12', '13', '10']]);
  });

  test('nor after a rejoin that leaves the partition with us', async () => {
    const { deliver, claimed, consumer } = await pendingAhead();
    consumer.join({ orders: [0] });
    await deliver();
    expect(claimed).toEqual(['orders-0-10']);
  });

  const ALL = ['orders-0-10', 'orders-0-11', 'orders-0-12', 'orders-0-13'];
  type Bed = Awaited<ReturnType<typeof pendingAhead>>;

  test.each<[string, unknown[], (bed: Bed) => unknown]>([
    [
      'after the position has moved',
      [{ reason: 'position-moved', expected: '10', found: '9' }],
      ({ fetchAgain }) => fetchAgain({ from: 9 }),
    ],
    [
      'after another member has had the partition',
      [],
      ({ consumer, deliver }) => {
        consumer.join({});
        consumer.join({ orders: [0] });
        return deliver();
      },
    ],
    [
      'after a stop',
      [],
      async ({ consumer, config, deliver }) => {
        await consumer.stop();
        await consumer.run(config as never);
        consumer.join({ orders: [0] });
        return deliver();
      },
    ],
    [
      'when the log ends before where it ended',
      [{ reason: 'end-went-back', expected: '1000', found: '999' }],
      ({ fetchAgain }) => fetchAgain({ end: 999 }),
    ],
  ])('is looked up again %s', async (_, told, happens) => {
    const bed = await pendingAhead();
    await happens(bed);
    expect(bed.claimed).toEqual(ALL);
    expect(bed.eventsOf('log-changed')).toMatchObject(told);
    expect(bed.eventsOf('log-changed')).toHaveLength(told.length);
    expect(bed.eventsOf('replayed').map(({ offset }) => offset)).toEqual(['11', '12', '13']);
  });

  test('is looked up again with other content at its offset, alone', async () => {
    const { fetchAgain, claimed, eventsOf, sent } = await pendingAhead();
    const [first, , ...rest] = messages();
    if (first === undefined) throw new Error('four were made');
    await fetchAgain({}, [first, message(11, { value: 'other' }), ...rest]);
    expect(claimed).toEqual(['orders-0-10', 'orders-0-11']);
    expect(eventsOf('log-changed')).toMatchObject([
      { reason: 'content-changed', expected: '11', found: '11' },
    ]);
    expect(eventsOf('kept')).toMatchObject([{ offset: '10' }]);
    expect([eventsOf('dead-lettered'), sent.length]).toMatchObject([[{ offset: '11' }], 2]);
  });
});

describe('the first fetch of a partition', () => {
  test('commits its position before anything runs', async () => {
    const { run, started } = bench();
    const batch = fakeBatch(messages(1), { from: 7 });
    let commit = (): void => undefined;
    batch.does.commit = () => new Promise((resolve) => (commit = resolve));
    run(batch);
    await pass();
    expect([batch.counts.commits, started]).toEqual([1, []]);
    commit();
    await pass();
    expect([batch.committed[0], started]).toEqual(['7', ['10']]);
  });

  test('runs nothing when that fails: its partition is paused with a backoff, and tried again', async () => {
    const { run, started, consumer, eventsOf } = bench();
    const error = new Error('the coordinator is loading');
    for (const wait of [500, 1_000]) {
      const batch = fakeBatch(messages(1));
      batch.does.commit = () => Promise.reject(error);
      const handled = run(batch);
      await pass();
      expect([handled.state, started, batch.counts.commits]).toEqual(['ended', [], 1]);
      expect(consumer.isPaused('orders', 0)).toBe(true);
      await pass(wait);
      expect(consumer.isPaused('orders', 0)).toBe(false);
    }
    expect(eventsOf('partition-paused').map(({ retryAfterMs }) => retryAfterMs)).toEqual([500, 1_000]);
    expect(eventsOf('client-error')).toMatchObject(
      Array(2).fill({ verb: 'commit', error: { message: error.message } }),
    );
    run(fakeBatch(messages(1)));
    await pass();
    expect(started).toEqual(['10']);
  });

  test('throws when the group refuses it, and pauses nothing', async () => {
    const { run, started, consumer, events } = bench();
    const error = Object.assign(new Error('no'), { type: 'ILLEGAL_GENERATION' });
    const batch = fakeBatch(messages(1));
    batch.does.commit = () => Promise.reject(error);
    const handled = run(batch);
    await pass();
    expect(handled).toEqual({ state: 'threw', error });
    expect([started, consumer.calls, events]).toEqual([[], [], []]);
  });
});

describe('when another partition is due', () => {
  const RETRY_MS = 500;

  /** Partition 1 waits for half a second; the handler of 10, of partition 0, takes long and starts `afterMs` later. */
  async function longHandler(afterMs: number) {
    const bed = bench();
    bed.consumer.join({ orders: [0, 1] });
    const refused = fakeBatch([message(20)], { partition: 1 });
    refused.does.commit = () => Promise.reject(new Error('no'));
    bed.run(refused);
    await pass(afterMs);
    const end = bed.hold(10);
    const batch = fakeBatch([message(9), message(10), message(11)]);
    const handled = bed.run(batch);
    await pass();
    return { ...bed, end, batch, handled };
  }

  test('a fetch ends, and its work goes on and is joined', async () => {
    const { run, started, end, batch, handled, attempts, consumer } = await longHandler(0);
    await pass(RETRY_MS - 1);
    expect([handled.state, batch.resolved]).toEqual(['running', ['9']]);
    // The time of a timer that is set by another is a millisecond later, on fake timers.
    await pass(2);
    expect([handled.state, batch.committed, attempts[1]?.signal.aborted]).toEqual([
      'ended',
      ['9', '10'],
      false,
    ]);
    run(fakeBatch([message(20)], { partition: 1 }));
    const again = fakeBatch([message(10), message(11)]);
    const joined = run(again);
    await pass(60_000);
    expect([joined.state, started]).toEqual(['running', ['9', '10', '20']]);
    end.open();
    await pass();
    expect([joined.state, again.resolved, started]).toEqual(['ended', ['10', '11'], ['9', '10', '20', '11']]);
    expect([batch.resolved, consumer.calls]).toEqual([['9'], ['pause orders/1', 'resume orders/1']]);
  });

  test.each([
    ['long after it began', 0, RETRY_MS + 1],
    ['soon after it began', RETRY_MS - 100, 250],
    ['before it began', RETRY_MS + 100, 250],
  ])('a fetch takes 250 ms in any case: due %s', async (_, afterMs, tookMs) => {
    const { handled, end } = await longHandler(afterMs);
    await pass(tookMs - 1);
    expect(handled.state).toBe('running');
    await pass(1);
    expect(handled.state).toBe('ended');
    end.open();
    await pass();
  });

  /** Hands over a fetch of each of three partitions in turn, as the client does; partition 2 is due all the time. */
  function threePartitions(options: BenchOptions = {}) {
    const bed = bench({ concurrency: 1, ...options });
    bed.consumer.join({ orders: [0, 1, 2] });
    const round = async (...fetches: readonly (readonly number[])[]) => {
      const batches = fetches.map((offsets, partition) =>
        fakeBatch(
          offsets.map((offset) => message(offset)),
          { partition },
        ),
      );
      for (const batch of batches) {
        const handled = bed.run(batch);
        await pass(5_000);
        expect(handled.state).toBe('ended');
      }
      const refused = fakeBatch([message(200)], { partition: 2 });
      refused.does.commit = () => Promise.reject(new Error('no'));
      bed.run(refused);
      await pass();
      return batches;
    };
    return { ...bed, round };
  }

  test.each<[string, BenchOptions, rest: number[]]>([
    ['of one lane', {}, []],
    ['of many lanes', { ordering: 'unordered' }, [13, 14, 15, 16, 17, 18, 19]],
  ])('one of three partitions, %s, gets its turn', async (_, options, rest) => {
    const { round, hold, started } = threePartitions(options);
    const ends = [10, 11, 12, ...rest].map(hold);
    await round();
    for (const [index, end] of ends.slice(0, 3).entries()) {
      await round([...[10, 11, 12].slice(index), ...rest], [100, 101]);
      end.open();
      await pass();
    }
    expect(started).toContain('100');
    for (const end of ends) end.open();
    await pass();
  });

  /** The handler of 10 has the only slot, and 100 waits in line behind it when the fetches of both have ended. */
  async function inLine() {
    const bed = threePartitions();
    const end = bed.hold(10);
    await bed.round();
    const [, batch] = await bed.round([10], [100, 101]);
    if (batch === undefined) throw new Error('there are two');
    const open = async () => {
      end.open();
      await pass();
    };
    return { ...bed, open, batch };
  }

  test('a message in line starts, and none behind it; the next fetch knows that it is acknowledged', async () => {
    const { open, started, batch, run } = await inLine();
    await open();
    expect([started, batch.resolved]).toEqual([['10', '100'], []]);
    const again = fakeBatch([message(100), message(101)], { partition: 1 });
    run(again);
    await pass();
    expect([started, again.resolved]).toEqual([
      ['10', '100', '101'],
      ['100', '101'],
    ]);
  });

  test.each<[string, (bed: Awaited<ReturnType<typeof inLine>>) => unknown]>([
    [
      'the user has paused its partition',
      ({ consumer }) => {
        consumer.pause([{ topic: 'orders', partitions: [1] }]);
      },
    ],
    [
      'another member has its partition',
      ({ consumer }) => {
        consumer.join({ orders: [0, 2] });
      },
    ],
    [
      'the group has met again',
      ({ consumer }) => {
        consumer.join({ orders: [0, 1, 2] });
      },
    ],
    [
      'a seek has left it',
      ({ batch }) => {
        batch.does.isStale = true;
      },
    ],
    [
      'its partition was read elsewhere',
      async ({ run }) => {
        run(fakeBatch([message(50)], { partition: 1 }));
        await pass();
      },
    ],
    [
      'the consumer stops',
      ({ batch }) => {
        batch.does.isRunning = false;
      },
    ],
  ])('a message in line does not start when %s', async (_, happens) => {
    const bed = await inLine();
    await happens(bed);
    await bed.open();
    expect(bed.started).not.toContain('100');
  });

  test('its own time ends no fetch', async () => {
    const { run, hold, started } = bench({ ordering: 'unordered' });
    const end = hold(10);
    const refused = fakeBatch(messages(1));
    refused.does.commit = () => Promise.reject(new Error('no'));
    run(refused);
    await pass();
    const handled = run(fakeBatch(messages(1)));
    await pass(60_000);
    expect([handled.state, started]).toEqual(['running', ['10']]);
    end.open();
    await pass();
  });
});

test('a generation that ends ends its fetches, and nothing is told or committed', async () => {
  const { run, hold, consumer, attempts, started } = bench({ ordering: 'unordered' });
  const end = hold(10);
  const batch = fakeBatch(messages(2));
  const handled = run(batch);
  await pass();
  consumer.join({ orders: [0] });
  await pass();
  expect([handled.state, batch.resolved, batch.committed]).toEqual(['ended', [], ['10']]);
  const { heartbeats } = batch.counts;
  end.open();
  await pass(60_000);
  expect([batch.resolved, batch.committed, batch.counts.heartbeats]).toEqual([[], ['10'], heartbeats]);
  expect([attempts[0]?.signal.aborted, started, consumer.calls]).toEqual([false, ['10', '11'], []]);
});

describe('a key function', () => {
  const fails = (): never => {
    throw new RangeError('no id');
  };
  const deadLetters = () => {
    const sent: unknown[] = [];
    const producer = { send: (record: unknown) => Promise.resolve(sent.push(record)) };
    return { sent, onFailed: { deadLetterTopic: 'dead', producer } };
  };

  test('that never worked dead-letters nothing, and ends the consumer after 20 different messages', async () => {
    const { sent, onFailed } = deadLetters();
    const { run, eventsOf } = bench({ key: fails, onFailed });
    for (let time = 0; time < 3; time += 1) {
      const batch = fakeBatch(messages(19));
      const handled = run(batch);
      await pass(30_000);
      expect([handled.state, batch.resolved, sent]).toEqual(['ended', [], []]);
    }
    expect(eventsOf('kept')).toMatchObject(Array(3).fill({ offset: '10', reason: 'error' }));
    const last = fakeBatch(messages(20));
    const handled = run(last);
    await pass();
    expect([handled.state, last.counts.commits, sent]).toEqual(['threw', 0, []]);
    expect(handled.error).toMatchObject({ name: 'KeyFunctionError', retriable: false });
  });

  test('that has worked once may throw: the message is dead-lettered', async () => {
    const { sent, onFailed } = deadLetters();
    const key = ({ offset }: { offset: string }) => (offset === '10' ? 'k' : fails());
    const { run, started } = bench({ key, onFailed });
    const batch = fakeBatch(messages(3));
    run(batch);
    await pass();
    expect([batch.resolved.at(-1), started, sent.length]).toEqual(['12', ['10'], 2]);
  });
});
