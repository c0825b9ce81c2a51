import { describe, expect, test } from 'vitest';
import { coalesce } from '../src/lib/coalesce.ts';
import { BatchGroup } from '../src/lib/batch-group.ts';
import { Gate } from '../src/lib/gate.ts';

interface Request {
  readonly key: string;
}

interface Sent {
  readonly keys: string[];
  answer(): void;
  fail(error: Error): void;
}

/** A batch verb whose calls the test sees and answers when it likes. */
function controlledSend() {
  const sent: Sent[] = [];
  const send = (requests: readonly Request[]): Promise<string[]> =>
    new Promise((resolve, reject) => {
      const keys = requests.map(({ key }) => key);
      sent.push({
        keys,
        answer() {
          resolve(keys.map((key) => `${key}!`));
        },
        fail: reject,
      });
    });
  return { sent, send, keysSent: () => sent.map(({ keys }) => keys) };
}

/** Lets everything that is ready to run, run. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

const POISON = new Error('poison');
const isolates = (error: unknown) => error === POISON;

test('a request goes at the end of its turn when nothing is in the air', async () => {
  const { send, keysSent } = controlledSend();
  void coalesce({ send, maxBatch: 10 })({ key: 'a' });
  await Promise.resolve();
  expect(keysSent()).toEqual([]);
  await new Promise<void>((resolve) => {
    process.nextTick(resolve);
  });
  expect(keysSent()).toEqual([['a']]);
});

test('what a reply sets off goes together, however many awaits lie between', async () => {
  const { sent, send, keysSent } = controlledSend();
  const ask = coalesce({ send, maxBatch: 10 });
  const chain = async (key: string, awaits: number) => {
    await ask({ key });
    for (let count = 0; count < awaits; count += 1) await Promise.resolve();
    await ask({ key: `${key} again` });
  };
  for (const awaits of [0, 1, 30]) void chain(`${awaits}`, awaits);
  await settled();
  sent[0]?.answer();
  await settled();
  expect(keysSent()).toEqual([
    ['0', '1', '30'],
    ['0 again', '1 again', '30 again'],
  ]);
});

test('requests of one moment go together, and each gets its own answer', async () => {
  const { sent, send, keysSent } = controlledSend();
  const ask = coalesce({ send, maxBatch: 10 });
  const answers = Promise.all([ask({ key: 'a' }), ask({ key: 'b' }), ask({ key: 'c' })]);
  await settled();
  expect(keysSent()).toEqual([['a', 'b', 'c']]);
  sent[0]?.answer();
  expect(await answers).toEqual(['a!', 'b!', 'c!']);
});

test('with two batches in the air the rest gathers, and goes when one of them lands', async () => {
  const { sent, send, keysSent } = controlledSend();
  const ask = coalesce({ send, maxBatch: 10 });
  for (const key of ['a', 'b', 'c', 'd', 'e']) {
    void ask({ key });
    await settled();
  }
  expect(keysSent()).toEqual([['a'], ['b']]);
  sent[1]?.answer();
  await settled();
  expect(keysSent()).toEqual([['a'], ['b'], ['c', 'd', 'e']]);
});

test('a batch that must not be small waits until it is large enough, or until nothing is in the air', async () => {
  const { sent, send, keysSent } = controlledSend();
  const ask = coalesce({ send, maxBatch: 3, smallestBeside: 3 });
  for (const key of ['a', 'b', 'c', 'd', 'e']) {
    void ask({ key });
    await settled();
  }
  expect(keysSent()).toEqual([['a'], ['b', 'c', 'd']]);
  sent[0]?.answer();
  await settled();
  expect(keysSent()).toHaveLength(2);
  sent[1]?.answer();
  await settled();
  expect(keysSent()).toEqual([['a'], ['b', 'c', 'd'], ['e']]);
});

test('no more than two batches are in the air, however many requests wait', async () => {
  const { sent, send } = controlledSend();
  const ask = coalesce({ send, maxBatch: 2 });
  const answers = Promise.all(Array.from({ length: 11 }, (_, index) => ask({ key: `k${index}` })));
  for (let landed = 0; landed < 6; landed += 1) {
    await settled();
    expect(sent.length - landed).toBeLessThanOrEqual(2);
    sent[landed]?.answer();
  }
  expect(await answers).toHaveLength(11);
  expect(sent.map(({ keys }) => keys.length)).toEqual([2, 2, 2, 2, 2, 1]);
});

test('with nothing in the air many go as two halves where halves are asked for, and few or unasked as one', async () => {
  const keys = ['a', 'b', 'c', 'd', 'e'];
  const split = async (smallestHalf: number | undefined, count: number): Promise<string[][]> => {
    const { send, keysSent } = controlledSend();
    const ask = coalesce({ send, maxBatch: 10, ...(smallestHalf === undefined ? {} : { smallestHalf }) });
    for (const key of keys.slice(0, count)) void ask({ key });
    await settled();
    return keysSent();
  };
  expect(await split(2, 5)).toEqual([
    ['a', 'b', 'c'],
    ['d', 'e'],
  ]);
  expect(await split(2, 4)).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  expect(await split(2, 3)).toEqual([['a', 'b', 'c']]);
  expect(await split(undefined, 5)).toEqual([keys]);
});

test('a key never stands twice in a batch: the later one goes with the next', async () => {
  const { sent, send, keysSent } = controlledSend();
  const ask = coalesce({ send, maxBatch: 10 });
  const answers = Promise.all([ask({ key: 'a' }), ask({ key: 'b' }), ask({ key: 'a' }), ask({ key: 'a' })]);
  await settled();
  expect(keysSent()).toEqual([['a', 'b'], ['a']]);
  sent[0]?.answer();
  await settled();
  expect(keysSent()).toEqual([['a', 'b'], ['a'], ['a']]);
  sent[1]?.answer();
  sent[2]?.answer();
  expect(await answers).toEqual(['a!', 'b!', 'a!', 'a!']);
});

test('a batch has at most maxBatch requests, the oldest first', async () => {
  const { send, keysSent } = controlledSend();
  const ask = coalesce({ send, maxBatch: 2 });
  for (const key of ['a', 'b', 'c']) void ask({ key });
  await settled();
  expect(keysSent()).toEqual([['a', 'b'], ['c']]);
});

test('a batch that fails rejects each of its requests, and the next one goes', async () => {
  const { sent, send, keysSent } = controlledSend();
  const ask = coalesce({ send, maxBatch: 2, isolates });
  const answers = Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map((key) => ask({ key })));
  await settled();
  const lost = new Error('connection lost');
  sent[0]?.fail(lost);
  sent[1]?.answer();
  await settled();
  expect(keysSent()).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  sent[2]?.answer();
  const rejected = { status: 'rejected', reason: lost };
  expect(await answers).toEqual([
    rejected,
    rejected,
    { status: 'fulfilled', value: 'c!' },
    { status: 'fulfilled', value: 'd!' },
    { status: 'fulfilled', value: 'e!' },
  ]);
});

test('a batch that one request spoiled is sent one by one, and only that one is rejected', async () => {
  const { sent, send, keysSent } = controlledSend();
  const ask = coalesce({ send, maxBatch: 10, isolates });
  const answers = Promise.allSettled(['a', 'bad', 'c'].map((key) => ask({ key })));
  await settled();
  sent[0]?.fail(POISON);
  await settled();
  expect(keysSent()).toEqual([['a', 'bad', 'c'], ['a'], ['bad'], ['c']]);
  sent[1]?.answer();
  sent[2]?.fail(POISON);
  sent[3]?.answer();
  expect(await answers).toEqual([
    { status: 'fulfilled', value: 'a!' },
    { status: 'rejected', reason: POISON },
    { status: 'fulfilled', value: 'c!' },
  ]);
});

test('what is sent one by one passes the gate as a batch does', async () => {
  const { sent, send, keysSent } = controlledSend();
  const ask = coalesce({ send, maxBatch: 10, isolates, gate: new Gate(2) });
  const answers = Promise.all(['a', 'b', 'c', 'd'].map((key) => ask({ key })));
  await settled();
  sent[0]?.fail(POISON);
  await settled();
  expect(keysSent()).toEqual([['a', 'b', 'c', 'd'], ['a'], ['b']]);
  for (const one of [1, 2, 3, 4]) {
    sent[one]?.answer();
    await settled();
  }
  expect(await answers).toEqual(['a!', 'b!', 'c!', 'd!']);
});

test('a request that was spoiled alone is not sent again', async () => {
  const { sent, send } = controlledSend();
  const answer = coalesce({ send, maxBatch: 10, isolates })({ key: 'bad' });
  await settled();
  sent[0]?.fail(POISON);
  await expect(answer).rejects.toBe(POISON);
  expect(sent).toHaveLength(1);
});

test('a verb that throws instead of rejecting is an answer like any other', async () => {
  const ask = coalesce<Request, string>({
    send: () => {
      throw POISON;
    },
    maxBatch: 10,
  });
  await expect(ask({ key: 'a' })).rejects.toBe(POISON);
  await expect(ask({ key: 'a' })).rejects.toBe(POISON);
});

describe('coalescers of one group', () => {
  const grouped = (options: { readonly gate?: Gate; readonly letsOthersFirst?: () => boolean } = {}) => {
    const room = new BatchGroup();
    const [settles, claims] = [controlledSend(), controlledSend()];
    const halves = { maxBatch: 500, smallestHalf: 8 };
    const settle = coalesce({ ...halves, send: settles.send, group: room });
    const claim = coalesce({
      ...halves,
      letsOthersFirst: () => true,
      ...options,
      send: claims.send,
      group: room,
    });
    return { settles, claims, settle: asking(settle), claim: asking(claim) };
  };
  const asking = (ask: (request: Request) => Promise<string>) => async (key: string) => {
    void ask({ key });
    await settled();
  };

  test('the one that letsOthersFirst waits until a batch of the other has ended', async () => {
    const { settles, claims, settle, claim } = grouped();
    for (const key of ['a', 'b']) await settle(key);
    for (const key of ['c', 'd']) await claim(key);
    expect(claims.keysSent()).toEqual([]);
    settles.sent[0]?.answer();
    await settled();
    expect(claims.keysSent()).toEqual([['c', 'd']]);
  });

  test('it is asked whether it does, once each time', async () => {
    let asked = 0;
    const letsOthersFirst = () => {
      asked += 1;
      return asked === 2;
    };
    const { settles, claims, settle, claim } = grouped({ letsOthersFirst });
    await claim('a');
    expect(asked).toBe(0);
    for (const key of ['b', 'c']) await settle(key);
    await claim('d');
    expect(claims.keysSent()).toEqual([['a'], ['d']]);
    claims.sent[0]?.answer();
    await settled();
    for (const key of ['e', 'f']) await claim(key);
    expect(asked).toBe(2);
    expect(claims.keysSent()).toHaveLength(2);
    for (const one of [...settles.sent, ...claims.sent]) one.answer();
    await settled();
    expect(claims.keysSent().slice(2)).toEqual([['e', 'f']]);
  });

  test('the other never waits for it', async () => {
    const { settles, claims, settle, claim } = grouped();
    for (const key of ['a', 'b']) await claim(key);
    for (let number = 0; number < 20; number += 1) {
      await settle(`${number}`);
      settles.sent.at(-1)?.answer();
      await settled();
    }
    expect(claims.sent).toHaveLength(2);
    expect(settles.sent).toHaveLength(20);
  });

  test('go whole where both have requests, and as halves where one has', async () => {
    const { settles, claims, settle, claim } = grouped();
    const keys = Array.from({ length: 20 }, (_, index) => `${index}`);
    await Promise.all(keys.flatMap((key) => [claim(key), settle(key)]));
    expect([...settles.keysSent(), ...claims.keysSent()]).toEqual([keys, keys]);
    const alone = grouped();
    await Promise.all(keys.map((key) => alone.settle(key)));
    expect(alone.settles.keysSent()).toEqual([keys.slice(0, 10), keys.slice(10)]);
  });

  test('what waits at a closed gate keeps nothing waiting', async () => {
    const gate = new Gate(5);
    gate.setShut(true);
    const { settles, claims, settle, claim } = grouped({ gate });
    for (const key of ['a', 'b', 'c']) await claim(key);
    for (const key of ['d', 'e']) await settle(key);
    expect(claims.keysSent()).toEqual([]);
    expect(settles.keysSent()).toEqual([['d'], ['e']]);
    for (const one of settles.sent) one.answer();
    gate.setShut(false);
    await settled();
    expect(claims.keysSent()).toEqual([['a', 'b', 'c']]);
  });

  test('callers meet in few batches, however unevenly they began', async () => {
    const room = new BatchGroup();
    let times = 0;
    const letsOthersFirst = () => {
      times += 1;
      return times % 8 === 0;
    };
    const underWay: (() => void)[] = [];
    let batches = 0;
    const send = (requests: readonly Request[]): Promise<string[]> =>
      new Promise((resolve) => {
        batches += 1;
        underWay.push(() => {
          resolve(requests.map(({ key }) => key));
        });
      });
    const settle = coalesce({ send, maxBatch: 500, smallestHalf: 8, group: room });
    const claim = coalesce({ send, maxBatch: 500, smallestHalf: 8, group: room, letsOthersFirst });
    async function call(key: string): Promise<void> {
      for (let turn = 0; turn < 50; turn += 1) {
        await claim({ key });
        await settle({ key });
      }
    }
    const calls: Promise<void>[] = [];
    for (const size of [1, 60, 3, 36]) {
      for (let count = 0; count < size; count += 1) calls.push(call(`${calls.length}`));
      await settled();
    }
    for (let oldest = underWay.shift(); oldest !== undefined; oldest = underWay.shift()) {
      oldest();
      await settled();
    }
    await Promise.all(calls);
    // Two for each turn of 100 callers: half of them in each, of claims and then of settles.
    expect(batches).toBeLessThan(1.2 * 2 * 2 * 50);
  });
});
