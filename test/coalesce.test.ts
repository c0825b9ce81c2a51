import { describe, expect, test } from 'vitest';
import { type Batch, coalesce } from '../src/lib/coalesce.ts';
import { createGate } from '../src/lib/gate.ts';

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
  const ask = coalesce({ send, maxBatch: 10, isolates, gate: createGate(2) });
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

test('a request is answered once its own answer is there, and the others of its batch do not wait for that', async () => {
  let end: (reply: string) => void = () => undefined;
  const later = new Promise<string>((resolve) => {
    end = resolve;
  });
  const ask = coalesce<Request, string>({ send: () => Promise.resolve(['now', later]), maxBatch: 10 });
  const [now, slow] = [ask({ key: 'a' }), ask({ key: 'b' })];
  expect(await now).toBe('now');
  end('then');
  expect(await slow).toBe('then');
});

describe('what is taken along', () => {
  const taken = (atLeast: number, count: number) => {
    const { sent, send, keysSent } = controlledSend();
    let batch: Batch<Request, string> | undefined;
    const ask = coalesce({
      ...{ send, maxBatch: 3, isolates },
      beforeFlush: () => {
        batch ??= ask.takeAlong(atLeast);
      },
    });
    const answers = Promise.allSettled(Array.from({ length: count }, (_, index) => ask({ key: `${index}` })));
    return { sent, keysSent, answers, batch: () => batch };
  };

  test('is not sent, and is answered by who took it', async () => {
    const { keysSent, answers, batch } = taken(2, 2);
    await settled();
    expect(batch()?.requests).toEqual([{ key: '0' }, { key: '1' }]);
    batch()?.answer(Promise.resolve(['x', 'y']));
    expect(await answers).toMatchObject([{ value: 'x' }, { value: 'y' }]);
    expect(keysSent()).toEqual([]);
  });

  test('is nothing where fewer wait', async () => {
    const { keysSent, batch } = taken(3, 2);
    await settled();
    expect(batch()).toBeUndefined();
    expect(keysSent()).toEqual([['0', '1']]);
  });

  test('counts as a batch in the air, until it is answered', async () => {
    const { sent, keysSent, batch } = taken(2, 9);
    await settled();
    expect(batch()?.requests).toHaveLength(3);
    expect(keysSent()).toEqual([['3', '4', '5']]);
    batch()?.answer(Promise.resolve(['x', 'y', 'z']));
    await settled();
    expect(keysSent()).toEqual([
      ['3', '4', '5'],
      ['6', '7', '8'],
    ]);
    for (const one of sent) one.answer();
  });

  test('is sent by itself, one by one, where one of it has spoiled it', async () => {
    const { sent, keysSent, answers, batch } = taken(2, 2);
    await settled();
    batch()?.answer(Promise.reject(POISON));
    await settled();
    expect(keysSent()).toEqual([['0'], ['1']]);
    sent[0]?.answer();
    sent[1]?.fail(POISON);
    expect(await answers).toMatchObject([{ value: '0!' }, { reason: POISON }]);
  });
});
