import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { gate } from '../gate.ts';
import { acknowledged, type Promised } from './promised.ts';
import { ScriptedDelivery, until } from './script.ts';
import { createBench, LEASE_MS } from './setup.ts';

// What an adapter does before, while and after a record is settled.

const RETRY_MS = 30_000;

export const settledFirst: Promised = async (adapter) => {
  const bench = createBench(adapter);
  const settles = gate();
  bench.holdSettles(settles.passed);
  const delivery = new ScriptedDelivery('1');
  const ended = bench.deliver(delivery);
  await until('the handler to run', () => bench.handled() === 1, ended);
  await sleep(50);
  assert.deepEqual(delivery.verbs, [], 'there is no call of the broker before the record is settled');
  settles.open();
  await ended;
  assert.deepEqual(delivery.verbs, ['acknowledge']);
};

export const replayAcknowledged: Promised = async (adapter) => {
  const bench = createBench(adapter);
  const deliveries = [new ScriptedDelivery('1'), new ScriptedDelivery('1')];
  for (const delivery of deliveries) await bench.deliver(delivery);
  assert.equal(bench.handled(), 1, 'the second delivery is answered from the record');
  assert.deepEqual(deliveries.map(acknowledged), [true, true]);
};

export const keysTellApart: Promised = async (adapter) => {
  const bench = createBench(adapter);
  const deliveries = [new ScriptedDelivery('1'), new ScriptedDelivery('2')];
  for (const delivery of deliveries) await bench.deliver(delivery);
  assert.equal(bench.handled(), 2, 'the key identifies the message: another id is another message, and runs');
  assert.deepEqual(deliveries.map(acknowledged), [true, true]);
};

export const keptAfterError: Promised = async (adapter) => {
  let fails = true;
  const bench = createBench(adapter, () => {
    if (fails) throw new Error('not now');
  });
  const first = new ScriptedDelivery('1');
  const ended = bench.deliver(first);
  await until('the handler to run', () => bench.handled() >= 1, ended);
  if (adapter.can.retryLater) {
    await ended;
    assert.deepEqual(first.verbs, ['retry-later'], 'a message to be tried again is not acknowledged');
  } else assert.deepEqual(first.verbs, []);
  fails = false;
  await ended;
  const again = new ScriptedDelivery('1');
  await sleep(30);
  await bench.deliver(again);
  assert.ok(acknowledged(again) || acknowledged(first), 'a later delivery runs it again');
};

/** A broker may count in seconds, and a call takes some time. Units are farther apart. */
export const delayed: Promised = async (adapter) => {
  const work = () => {
    throw new Error('not now');
  };
  const bench = createBench(adapter, work, () => RETRY_MS);
  const delivery = new ScriptedDelivery('1');
  await bench.deliver(delivery);
  const [delayMs, ...others] = delivery.delaysMs;
  assert.deepEqual(others, [], 'a message is returned once');
  if (delayMs === undefined) return;
  assert.ok(
    delayMs >= RETRY_MS / 2 && delayMs <= RETRY_MS * 2,
    `retryLater got ${delayMs} and not the outcome's retryAfterMs of ${RETRY_MS}, in milliseconds`,
  );
};

export const keptWhilePending: Promised = async (adapter) => {
  const work = gate();
  const bench = createBench(adapter, () => work.passed);
  const owner = new ScriptedDelivery('1');
  const duplicate = new ScriptedDelivery('1');
  const owned = bench.deliver(owner);
  await until('the handler to run', () => bench.handled() === 1, owned);
  const answered = bench.deliver(duplicate);
  await sleep(100);
  assert.equal(acknowledged(duplicate), false, 'a duplicate of a running message is not acknowledged');
  work.open();
  await Promise.all([owned, answered]);
  const last = new ScriptedDelivery('1');
  await bench.deliver(last);
  assert.ok(acknowledged(owner) && acknowledged(last));
  assert.equal(bench.handled(), 1, 'two deliveries at once run the handler once');
};

export const storeDown: Promised = async (adapter) => {
  const bench = createBench(adapter);
  bench.cutStore();
  const delivery = new ScriptedDelivery('1');
  const ended = bench.deliver(delivery);
  await sleep(100);
  bench.stop();
  await ended;
  assert.equal(bench.handled(), 0, 'a message that cannot be recorded does not run');
  assert.equal(acknowledged(delivery), false);
};

export const unrecordedKept: Promised = async (adapter) => {
  const bench = createBench(adapter);
  bench.cutSettles();
  const delivery = new ScriptedDelivery('1');
  const ended = bench.deliver(delivery);
  await until('the handler to run', () => bench.handled() >= 1, ended);
  await sleep(LEASE_MS + 300);
  assert.equal(acknowledged(delivery), false, 'a message whose end is not on record is not acknowledged');
  bench.stop();
  await ended;
  assert.equal(acknowledged(delivery), false, 'a message whose end is not on record is not acknowledged');
};

export const takenOver: Promised = async (adapter) => {
  const works = [gate(), gate()];
  let runs = 0;
  const bench = createBench(adapter, () => works[runs++]?.passed);
  const [zombie, owner] = [new ScriptedDelivery('1'), new ScriptedDelivery('1')];
  const late = bench.deliver(zombie);
  await until('the handler to run', () => runs === 1, late);
  bench.advance(LEASE_MS * 2);
  const owned = bench.deliver(owner);
  await until('the takeover', () => runs === 2, owned);
  works[0]?.open();
  await sleep(100);
  assert.equal(
    acknowledged(zombie),
    false,
    'a message that another worker has taken over is not acknowledged',
  );
  works[1]?.open();
  await Promise.all([late, owned]);
  assert.equal(acknowledged(owner), true);
};

export const stoppedBefore: Promised = async (adapter) => {
  const bench = createBench(adapter);
  bench.stop();
  const delivery = new ScriptedDelivery('1');
  await bench.deliver(delivery);
  assert.equal(bench.handled(), 0, 'nothing starts when the consumer stops');
  const expected = adapter.can.retryLater ? ['retry-later'] : [];
  assert.deepEqual(delivery.verbs, expected, 'a message that has not started is returned, if the broker can');
};

export const stoppedDuring: Promised = async (adapter) => {
  const work = gate();
  let isInterrupted = true;
  const bench = createBench(adapter, async () => {
    await work.passed;
    if (isInterrupted) throw new DOMException('the consumer stops', 'AbortError');
  });
  const interrupted = new ScriptedDelivery('1');
  const ended = bench.deliver(interrupted);
  await until('the handler to run', () => bench.handled() === 1, ended);
  bench.stop();
  await sleep(50);
  assert.equal(
    acknowledged(interrupted),
    false,
    'a message that still runs when the consumer stops is not acknowledged',
  );
  work.open();
  await ended;
  assert.equal(acknowledged(interrupted), false, 'a message that was interrupted is not acknowledged');
  isInterrupted = false;
  await sleep(30);
  const again = new ScriptedDelivery('1');
  await bench.deliver(again, { signal: new AbortController().signal });
  assert.equal(bench.handled(), 2, 'a message that was interrupted runs again');
  assert.deepEqual(again.verbs, ['acknowledge']);
};

export const acknowledgementRefused: Promised = async (adapter) => {
  const bench = createBench(adapter);
  const refused = new ScriptedDelivery('1');
  refused.refuseAcknowledgement();
  // An adapter whose client acknowledges may pass its error on.
  await bench.deliver(refused).catch(() => undefined);
  assert.deepEqual(refused.verbs, ['acknowledge'], 'there is no other call of the broker');
  const again = new ScriptedDelivery('1');
  await bench.deliver(again);
  assert.equal(bench.handled(), 1, 'a message whose acknowledgement failed does not run again');
  assert.deepEqual(again.verbs, ['acknowledge'], 'and is acknowledged when it comes again');
};
