import { randomUUID } from 'node:crypto';
import { TerminalError } from 'handle-once';
import { describe, expect, test, vi } from 'vitest';
import { useFixture } from '../sqs/support/fixture.ts';
import { aborted, gate } from '../support/gate.ts';
import { sqsServers } from '../support/sqs.ts';
import { consume, wrapperNames } from './support/consume.ts';

const VISIBILITY = 2;

const fixture = useFixture('elasticmq');
const { client } = fixture;

describe.each(wrapperNames)('with %s', (wrapper) => {
  test('a handler that outlasts the visibility timeout keeps its message, and no other consumer sees it', async () => {
    const setup = await fixture.setup();
    const { queueUrl, handleOnce } = setup;
    const settings = { queueUrl, visibilityTimeout: VISIBILITY };
    await setup.send('"slow"');
    const end = gate();
    let runs = 0;
    const slow = consume(wrapper, client, { settings, handleOnce }, async () => {
      runs += 1;
      await end.opened;
    });
    await vi.waitUntil(() => runs === 1, 10_000);
    const other = consume(wrapper, client, { settings, handleOnce }, () => {
      runs += 1;
    });
    // A beat comes three times per timeout: by the seventh the first timeout has long lapsed.
    await vi.waitUntil(
      () => slow.calls.filter(({ verb }) => verb.startsWith('ChangeMessageVisibility')).length >= 7,
      { timeout: 15_000 },
    );
    end.open();
    await vi.waitUntil(() => slow.told.length > 0, 10_000);
    expect(slow.told).toEqual(['message_processed']);
    expect(other.events.filter(({ type }) => type !== 'warning')).toEqual([]);
    expect(runs).toBe(1);
    expect(await setup.size()).toEqual({ visible: 0, invisible: 0 });
  });

  test('two consumers at once run each key once, however often it was sent', async () => {
    const setup = await fixture.setup();
    const { queueUrl, handleOnce } = setup;
    const settings = { queueUrl, batchSize: 10, visibilityTimeout: VISIBILITY };
    const keys = Array.from({ length: 10 }, () => randomUUID());
    for (const key of [...keys, ...keys, ...keys]) await setup.send(JSON.stringify(key));
    const effects: unknown[] = [];
    const handler = (key: unknown): void => {
      effects.push(key);
    };
    const options = { settings, handleOnce, key: ({ Body = '' }) => Body };
    const consumers = [
      consume(wrapper, client, options, handler),
      consume(wrapper, client, options, handler),
    ];
    await setup.empty();
    expect(effects.toSorted()).toEqual(keys.toSorted());
    // On a machine that stalls, sqs-consumer can beat for a message that it has just deleted: an `error`.
    expect(consumers.flatMap(({ told }) => told)).not.toContain('processing_error');
  });

  test('a stop lets the handler end, and its message is deleted', async () => {
    const setup = await fixture.setup();
    const { queueUrl, handleOnce } = setup;
    await setup.send('"order"');
    const end = gate();
    const started = gate();
    const settings = { queueUrl, visibilityTimeout: VISIBILITY };
    const { consumer, told, stopped } = consume(wrapper, client, { settings, handleOnce }, async () => {
      started.open();
      await end.opened;
    });
    await started.opened;
    consumer.stop();
    end.open();
    await stopped();
    expect(told).toEqual(['message_processed']);
    expect(await setup.size()).toEqual({ visible: 0, invisible: 0 });
  });

  test('a stop that aborts has the message given back at once, without counting the attempt', async () => {
    const setup = await fixture.setup();
    const { queueUrl, handleOnce } = setup;
    await setup.send('"order"');
    const attempts: number[] = [];
    const started = gate();
    const settings = { queueUrl, visibilityTimeout: 30 };
    const first = consume(
      wrapper,
      client,
      { settings, handleOnce, signal: () => first.consumer.abortController.signal },
      async (_, { number, signal }) => {
        attempts.push(number);
        started.open();
        await aborted(signal);
        signal.throwIfAborted();
      },
    );
    await started.opened;
    first.consumer.stop({ abort: true });
    await first.stopped();
    expect(first.ofType('kept')).toMatchObject([{ reason: 'released', visibleAfterSeconds: 0 }]);
    consume(wrapper, client, { settings, handleOnce }, (_, { number }) => {
      attempts.push(number);
    });
    await setup.empty();
    expect(attempts).toEqual([1, 1]);
  });
});

test('of a batch what is settled is deleted in one call; what is not comes back after its backoff', async () => {
  const setup = await fixture.setup({}, { backoff: () => 100 });
  const { queueUrl, handleOnce } = setup;
  for (const body of ['"good"', '"bad"', '"later"']) await setup.send(body);
  const runs: string[] = [];
  const settings = { queueUrl, batchSize: 10, visibilityTimeout: VISIBILITY };
  const { calls, told, ofType } = consume(
    'handleMessageBatch',
    client,
    { settings, handleOnce },
    (payload, { number }) => {
      runs.push(`${String(payload)}#${number}`);
      if (payload === 'bad') throw new TerminalError('never');
      if (payload === 'later' && number === 1) throw new Error('not now');
    },
  );
  await setup.empty();
  await vi.waitUntil(() => told.length === 3, 10_000);
  expect(runs.toSorted()).toEqual(['bad#1', 'good#1', 'later#1', 'later#2']);
  expect(ofType('kept')).toMatchObject([{ reason: 'released', visibleAfterSeconds: 1 }]);
  expect(told).toEqual(['message_processed', 'message_processed', 'message_processed']);
  const deletes = calls.filter(({ verb }) => verb === 'DeleteMessageBatch');
  expect(deletes.reduce((sum, { entries }) => sum + entries, 0)).toBe(3);
});

test('a backoff is set when the whole batch has ended, so that no heartbeat of it comes after', async () => {
  const setup = await fixture.setup({}, { backoff: () => 300_000 });
  const { queueUrl, handleOnce } = setup;
  for (const body of ['"quick"', '"slow"']) await setup.send(body);
  const settings = { queueUrl, batchSize: 10, visibilityTimeout: VISIBILITY };
  const end = gate();
  const { calls, events, ofType } = consume(
    'handleMessageBatch',
    client,
    { settings, handleOnce },
    async (payload) => {
      if (payload === 'quick') throw new Error('not now');
      await end.opened;
    },
  );
  const changes = () => calls.filter(({ verb }) => verb.startsWith('ChangeMessageVisibility'));
  await vi.waitUntil(() => changes().length >= 2, 10_000);
  expect(ofType('kept')).toEqual([]);
  end.open();
  await vi.waitUntil(() => events.some(({ type }) => type === 'kept'), 10_000);
  const [backoff = 0] = changes().at(-1)?.visibility ?? [];
  // What of the backoff had passed when it was set is not waited for again.
  expect(backoff).toBeGreaterThan(200);
  expect(backoff).toBeLessThan(300);
});

describe.each(sqsServers)('on %s', (server) => {
  const { client, setup: setUp } = useFixture(server);

  test('a FIFO group waits behind its failure, and goes on in order; others do not wait', async () => {
    const setup = await setUp({ fifo: true });
    const { queueUrl, handleOnce } = setup;
    for (let n = 0; n < 4; n += 1) await setup.send(JSON.stringify(`a${n}`), { group: 'a' });
    for (let n = 0; n < 2; n += 1) await setup.send(JSON.stringify(`b${n}`), { group: 'b' });
    const ran: string[] = [];
    const settings = { queueUrl, batchSize: 10, visibilityTimeout: VISIBILITY };
    const { ofType } = consume(
      'handleMessageBatch',
      client,
      { settings, handleOnce },
      (payload, { number }) => {
        ran.push(`${String(payload)}#${number}`);
        if (payload === 'a1' && number === 1) throw new Error('not yet');
      },
    );
    await setup.empty();
    expect(ran.filter((name) => name.startsWith('a'))).toEqual(['a0#1', 'a1#1', 'a1#2', 'a2#1', 'a3#1']);
    expect(ran.filter((name) => name.startsWith('b'))).toEqual(['b0#1', 'b1#1']);
    const behind = ofType('kept').filter(({ reason }) => reason === 'behind');
    // fauxqs gives one message of a group at a time: none is behind another.
    const expected = server === 'fauxqs' ? [] : [0, 0];
    expect(behind.map(({ visibleAfterSeconds }) => visibleAfterSeconds)).toEqual(expected);
  });
});
