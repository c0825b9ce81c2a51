import { describe, expect, test, vi } from 'vitest';
import type { Fetch } from '../../adapters/kafka/log/log-client.ts';
import { PartitionTracker } from '../../adapters/kafka/partition/partition-tracker.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { message } from './support/messages.ts';

function fetchFrom(from: bigint, end = 100n): Fetch & { readonly committed: bigint[] } {
  const committed: bigint[] = [];
  return {
    ...{ topic: 'orders', partition: 0, messages: [], from, to: from, end, committed },
    advance: () => true,
    commit: (position) => {
      committed.push(position);
      return Promise.resolve();
    },
    heartbeat: () => Promise.resolve(),
    isRunning: () => true,
    isStale: () => false,
  };
}

const tracker = () => new PartitionTracker({ topic: 'orders', partition: 0 }, systemClock);

/** A tracker that has settled and committed up to 12, and 15 ahead of it. */
async function settledTo12() {
  const of = tracker();
  const fetch = fetchFrom(10n);
  of.begin(fetch);
  of.advanceTo(12n);
  of.ahead.add(message(15));
  await of.commit(fetch);
  return of;
}

/** What is committed at the beginning of a fetch. */
async function committedAt(of: PartitionTracker, from: bigint): Promise<bigint[]> {
  const fetch = fetchFrom(from);
  of.begin(fetch);
  await of.commit(fetch);
  return fetch.committed;
}

describe('what is committed', () => {
  test('is where the first fetch begins, once', async () => {
    const of = tracker();
    const fetch = fetchFrom(10n);
    expect(of.begin(fetch)).toBeUndefined();
    expect(of.isUncommitted).toBe(true);
    for (let time = 0; time < 2; time += 1) await of.commit(fetch);
    expect([fetch.committed, of.isUncommitted]).toEqual([[10n], false]);
  });

  test('is each position after it, once, also with a later fetch', async () => {
    const of = await settledTo12();
    expect(await committedAt(of, 12n)).toEqual([]);
    of.advanceTo(13n);
    expect(of.isUncommitted).toBe(true);
    const later = fetchFrom(13n);
    for (let time = 0; time < 2; time += 1) await of.commit(later);
    expect(later.committed).toEqual([13n]);
  });

  test('is not taken for committed when that failed', async () => {
    const of = tracker();
    const fetch = fetchFrom(10n);
    of.begin(fetch);
    const error = new Error('no');
    await expect(of.commit({ ...fetch, commit: () => Promise.reject(error) })).rejects.toBe(error);
    expect(of.isUncommitted).toBe(true);
    await of.commit(fetch);
    expect(fetch.committed).toEqual([10n]);
  });

  test('is the position of when it was asked for, and a later one is not taken for committed', async () => {
    const of = tracker();
    const fetch = fetchFrom(10n);
    of.begin(fetch);
    const commit = vi.fn(() => {
      of.advanceTo(11n);
      return Promise.resolve();
    });
    await of.commit({ ...fetch, commit });
    expect(commit).toHaveBeenCalledExactlyOnceWith(10n);
    expect(of.isUncommitted).toBe(true);
  });

  test('is nothing before the first fetch', async () => {
    const fetch = fetchFrom(10n);
    await tracker().commit(fetch);
    expect(fetch.committed).toEqual([]);
  });

  test('is nothing after a move by a user during a commit', async () => {
    const of = tracker();
    const fetch = fetchFrom(10n);
    of.begin(fetch);
    const commit = () => {
      of.moved(5n);
      return Promise.resolve();
    };
    await of.commit({ ...fetch, commit });
    await of.commit(fetch);
    expect([fetch.committed, of.isUncommitted]).toEqual([[], false]);
  });

  test('is where a rejoined client begins, also where that was committed: it may have begun again there', async () => {
    const of = await settledTo12();
    of.advanceTo(13n);
    of.rejoined();
    expect(await committedAt(of, 12n)).toEqual([12n]);
    expect(await committedAt(of, 12n)).toEqual([]);
  });

  test('is that also where a rejoined client first comes to records that are not delivered', async () => {
    const of = await settledTo12();
    of.rejoined();
    of.advanceTo(12n);
    expect(await committedAt(of, 12n)).toEqual([12n]);
  });

  test('is the first position again after a move by a user, which the client commits, and a rejoin', async () => {
    const of = await settledTo12();
    of.moved(5n);
    of.rejoined();
    expect(await committedAt(of, 12n)).toEqual([12n]);
  });

  test('is the first position again where a rejoined client begins again: nothing is committed of it then', async () => {
    const of = await settledTo12();
    of.rejoined();
    expect(await committedAt(of, 30n)).toEqual([30n]);
  });

  test('is the first position again after a stop, a moved position and in a shortened log', async () => {
    const doubts: ((of: PartitionTracker) => void)[] = [
      (of) => {
        of.stopped();
      },
      (of) => of.begin(fetchFrom(5n)),
      (of) => {
        of.shortened(50n);
      },
    ];
    for (const doubt of doubts) {
      const of = await settledTo12();
      doubt(of);
      expect(await committedAt(of, 12n)).toEqual([12n]);
    }
  });

  test('is the first position of a partition of which only undelivered records were read before', async () => {
    const of = tracker();
    of.advanceTo(10n);
    expect(await committedAt(of, 10n)).toEqual([10n]);
  });
});

describe('a fetch', () => {
  test.each([
    [
      'where the one before began, as when nothing is acknowledged',
      (of: PartitionTracker) => of.begin(fetchFrom(12n)),
      12n,
    ],
    ['where the acknowledged ends', () => undefined, 12n],
    [
      'after records that are not delivered',
      (of: PartitionTracker) => {
        of.advanceTo(20n);
      },
      20n,
    ],
    [
      'anywhere after a rejoin',
      (of: PartitionTracker) => {
        of.rejoined();
      },
      3n,
    ],
  ])('may begin %s: what is acknowledged ahead is remembered', async (_, before, from) => {
    const of = await settledTo12();
    before(of);
    expect(of.begin(fetchFrom(from))).toBeUndefined();
    expect(of.ahead.look(message(15))).toBe('acknowledged');
  });

  test.each([5n, 13n])('that begins elsewhere, at %s, is told, and nothing is remembered', async (from) => {
    const of = await settledTo12();
    const { ahead } = of;
    expect(of.begin(fetchFrom(from))).toBe(12n);
    expect(of.ahead.look(message(15))).toBe('unknown');
    // What still runs of before is remembered where it is not looked for any more.
    ahead.add(message(16));
    expect(of.ahead.look(message(16))).toBe('unknown');
    expect(of.begin(fetchFrom(from))).toBeUndefined();
  });

  test('tells where the partition ends', () => {
    const of = tracker();
    expect(of.lastEnd).toBeUndefined();
    of.begin(fetchFrom(10n, 40n));
    expect(of.lastEnd).toBe(40n);
  });
});

describe('where a client begins by itself', () => {
  test('is to be no further than the start that was found', () => {
    const of = tracker();
    of.startBy(12n);
    expect(of.skippedBefore(fetchFrom(13n))).toEqual({ position: 12n, isUncontested: true, tries: 0 });
    expect(of.skippedBefore(fetchFrom(12n))).toBeUndefined();
    expect(of.begin(fetchFrom(5n))).toBeUndefined();
    expect(of.skippedBefore(fetchFrom(5n))).toBeUndefined();
    expect(of.skippedBefore(fetchFrom(13n))).toMatchObject({ position: 5n });
  });

  test('is to be no further than where it was moved', () => {
    const of = tracker();
    of.startAt(5n);
    expect(of.skippedBefore(fetchFrom(9n))).toMatchObject({ position: 5n, isUncontested: true });
  });

  test('is to be no further than where its user has moved it, until the group has met again', () => {
    const of = tracker();
    of.moved(5n);
    of.startBy(12n);
    expect(of.skippedBefore(fetchFrom(7n))).toMatchObject({ position: 5n });
    of.rejoined();
    of.startBy(12n);
    expect(of.skippedBefore(fetchFrom(13n))).toMatchObject({ position: 12n });
  });

  test.each<[string, (of: PartitionTracker) => void]>([
    [
      'the group has met again',
      (of) => {
        of.rejoined();
      },
    ],
    [
      'its user has moved it, where only the client knows to which offset',
      (of) => {
        of.moved(undefined);
      },
    ],
  ])('is not looked at once %s', (_, happens) => {
    const of = tracker();
    of.startBy(12n);
    happens(of);
    expect(of.skippedBefore(fetchFrom(13n))).toBeUndefined();
  });
});

test('a stop forgets what is acknowledged ahead, and aborts nothing', async () => {
  const of = await settledTo12();
  const { ownership } = of;
  of.stopped();
  expect([ownership.isOver, of.ownership.isOver]).toEqual([true, false]);
  expect(of.ahead.look(message(15))).toBe('unknown');
  expect(of.ownership.signal.aborted).toBe(false);
});

test('the end aborts with its reason, and an abort is no end', () => {
  const [over, aborted] = [tracker(), tracker()];
  const reason = new Error('gone');
  over.end(reason);
  aborted.abort(reason);
  expect([over.ownership.isOver, over.ownership.signal.reason]).toEqual([true, reason]);
  expect([aborted.ownership.isOver, aborted.ownership.signal.reason]).toEqual([false, reason]);
});
