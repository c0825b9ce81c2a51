import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { TerminalError } from '../../api/handler-errors.ts';
import { gate, ScriptedDelivery, until } from './script.ts';
import { ACK_WAIT_MS, type AdapterUnderTest, createBench } from './setup.ts';

/** One promise of an adapter. `run` rejects when it is broken. */
export interface ContractCase {
  readonly name: string;
  readonly run: () => Promise<void>;
}

type Promised = (adapter: AdapterUnderTest) => Promise<void>;

const acknowledged = (delivery: ScriptedDelivery): boolean => delivery.log.includes('acknowledge');

const settledFirst: Promised = async (adapter) => {
  const bench = createBench(adapter);
  const settles = gate();
  bench.holdSettles(settles.passed);
  const delivery = new ScriptedDelivery('1');
  const ended = bench.deliver(delivery);
  await until('the handler to run', () => bench.handled() === 1, ended);
  await sleep(50);
  assert.deepEqual(delivery.told, [], 'nothing is told to the broker before the record is settled');
  settles.open();
  await ended;
  assert.deepEqual(delivery.told, ['acknowledge']);
};

const replayAcknowledged: Promised = async (adapter) => {
  const bench = createBench(adapter);
  const deliveries = [new ScriptedDelivery('1'), new ScriptedDelivery('1')];
  for (const delivery of deliveries) await bench.deliver(delivery);
  assert.equal(bench.handled(), 1, 'the second delivery is answered from the record');
  assert.deepEqual(deliveries.map(acknowledged), [true, true]);
};

const keptAfterError: Promised = async (adapter) => {
  let fails = true;
  const bench = createBench(adapter, () => {
    if (fails) throw new Error('not now');
  });
  const first = new ScriptedDelivery('1');
  const ended = bench.deliver(first);
  await until('the handler to run', () => bench.handled() >= 1, ended);
  if (adapter.can.retryLater) {
    await ended;
    assert.deepEqual(first.told, ['retry-later'], 'a message to be tried again is not acknowledged');
  } else assert.deepEqual(first.told, []);
  fails = false;
  await ended;
  const again = new ScriptedDelivery('1');
  await sleep(30);
  await bench.deliver(again);
  assert.ok(acknowledged(again) || acknowledged(first), 'a later delivery runs it again');
};

const keptWhilePending: Promised = async (adapter) => {
  const work = gate();
  const bench = createBench(adapter, () => work.passed);
  const owner = new ScriptedDelivery('1');
  const duplicate = new ScriptedDelivery('1');
  const owned = bench.deliver(owner);
  await until('the handler to run', () => bench.handled() === 1, owned);
  const answered = bench.deliver(duplicate);
  await sleep(100);
  assert.equal(acknowledged(duplicate), false, 'a duplicate of what runs is not acknowledged');
  work.open();
  await Promise.all([owned, answered]);
  const last = new ScriptedDelivery('1');
  await bench.deliver(last);
  assert.ok(acknowledged(owner) && acknowledged(last));
  assert.equal(bench.handled(), 1, 'two deliveries at once run the handler once');
};

const storeDown: Promised = async (adapter) => {
  const bench = createBench(adapter);
  bench.cutStore();
  const delivery = new ScriptedDelivery('1');
  const ended = bench.deliver(delivery);
  await sleep(100);
  bench.stop();
  await ended;
  assert.equal(bench.handled(), 0, 'nothing runs that cannot be recorded');
  assert.equal(acknowledged(delivery), false);
};

const mismatchKept: Promised = async (adapter) => {
  const bench = createBench(adapter);
  await bench.deliver(new ScriptedDelivery('1'));
  const other = new ScriptedDelivery('1', '{"cents":999}');
  await bench.deliver(other);
  assert.equal(bench.handled(), 1);
  assert.equal(acknowledged(other), false, 'another message under the same key is not passed in silence');
};

const failedKept: Promised = async (adapter) => {
  const bench = createBench(adapter, failForGood);
  const delivery = new ScriptedDelivery('1');
  await bench.deliver(delivery);
  assert.equal(acknowledged(delivery), false, 'what failed stays where there are no dead letters');
};

const deadLetterFirst: Promised = async (adapter) => {
  const bench = createBench(adapter, failForGood);
  const sent = gate();
  const delivery = new ScriptedDelivery('1');
  const ended = bench.deliver(delivery, {
    async deadLetter() {
      await delivery.deadLetter();
      await sent.passed;
    },
  });
  await until('the dead letter', () => delivery.log.includes('dead-letter'), ended);
  await sleep(50);
  assert.deepEqual(delivery.told, ['dead-letter'], 'the copy is safe before the message is acknowledged');
  sent.open();
  await ended;
  assert.deepEqual(delivery.told, ['dead-letter', 'acknowledge']);
};

const deadLetterRefused: Promised = async (adapter) => {
  const bench = createBench(adapter, failForGood);
  const delivery = new ScriptedDelivery('1');
  const ended = bench.deliver(delivery, {
    async deadLetter() {
      await delivery.deadLetter();
      throw new Error('the dead letters are full');
    },
  });
  await until('the dead letter', () => delivery.log.includes('dead-letter'), ended);
  await sleep(50);
  bench.stop();
  await ended;
  assert.equal(acknowledged(delivery), false, 'a message whose copy was refused stays');
};

const stoppedBefore: Promised = async (adapter) => {
  const bench = createBench(adapter);
  bench.stop();
  const delivery = new ScriptedDelivery('1');
  await bench.deliver(delivery);
  assert.equal(bench.handled(), 0, 'nothing starts when the consumer stops');
  assert.deepEqual(delivery.told, adapter.can.retryLater ? ['retry-later'] : []);
};

const extended: Promised = async (adapter) => {
  const work = gate();
  const bench = createBench(adapter, () => work.passed);
  const delivery = new ScriptedDelivery('1');
  const ended = bench.deliver(delivery);
  await until('the handler to run', () => bench.handled() === 1, ended);
  await until('two extensions', () => delivery.log.length >= 2, ended);
  work.open();
  await ended;
  assert.equal(delivery.log.at(-1), 'acknowledge', 'nothing is extended after the end');
  const { length } = delivery.log;
  await sleep(ACK_WAIT_MS / 2);
  assert.equal(delivery.log.length, length, 'nothing is extended after the end');
};

const nothingAfterLapse: Promised = async (adapter) => {
  const work = gate();
  const bench = createBench(adapter, () => work.passed);
  const delivery = new ScriptedDelivery('1');
  const ended = bench.deliver(delivery);
  delivery.lose();
  await until('an extension', () => delivery.log.length >= 1, ended);
  await sleep(ACK_WAIT_MS);
  work.open();
  await ended;
  assert.deepEqual(delivery.told, [], 'a message that another worker may have is not touched');
};

const neverExtended: Promised = async (adapter) => {
  const bench = createBench(adapter, () => sleep(ACK_WAIT_MS / 2));
  const delivery = new ScriptedDelivery('1');
  await bench.deliver(delivery);
  assert.deepEqual(delivery.log, ['acknowledge']);
};

function failForGood(): never {
  throw new TerminalError('never');
}

/**
 * What every adapter promises, against a scripted broker: for any test runner.
 *
 * What an adapter's broker cannot do is a case of its own, named so. A case takes up to five seconds.
 *
 * @example
 * ```ts
 * const adapter: AdapterUnderTest = {
 *   can: { extend: false, retryLater: true, deadLetter: false },
 *   handle: (message, { handleOnce, handler }) => consume(message, handleOnce, handler),
 * };
 * for (const { name, run } of adapterContract(adapter)) test(name, run);
 * ```
 */
export function adapterContract(adapter: AdapterUnderTest): readonly ContractCase[] {
  const { can } = adapter;
  const rows: [name: string, promised: Promised][] = [
    ['acknowledges a message once its record is settled, and not before', settledFirst],
    ['acknowledges a duplicate that is answered from the record', replayAcknowledged],
    ['keeps a message whose handler threw, and runs it again', keptAfterError],
    ['keeps a duplicate of a message that runs, which runs once', keptWhilePending],
    ['keeps a message while the store is down, and runs nothing', storeDown],
    ['keeps a message under a key that is another message', mismatchKept],
    ['keeps what failed for good where there are no dead letters', failedKept],
    ['starts nothing when the consumer stops', stoppedBefore],
    can.deadLetter
      ? ['sends the dead letter before it acknowledges', deadLetterFirst]
      : ['cannot send dead letters: what failed for good is kept', failedKept],
    ...(can.deadLetter
      ? [['keeps a message whose dead letter is refused', deadLetterRefused] as [string, Promised]]
      : []),
    can.extend
      ? ['extends a message while it is in hand, and not after', extended]
      : ['cannot extend: a long handler is protected by its lease alone', neverExtended],
    ...(can.extend
      ? [['does not touch a message after it has lapsed', nothingAfterLapse] as [string, Promised]]
      : []),
  ];
  return rows.map(([name, promised]) => ({ name, run: () => promised(adapter) }));
}
