import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { TerminalError } from '../../api/handler-errors.ts';
import { gate, ScriptedDelivery, until } from './script.ts';
import { callback, parseOptions } from '../../options/parse-options.ts';
import { ACK_WAIT_MS, type AdapterUnderTest, createBench, LEASE_MS } from './setup.ts';

/** One promise of an adapter. `run` rejects when it is broken. */
export interface ContractCase {
  /** The promise in words, as the name of a test. */
  readonly name: string;
  /** Takes up to some seconds of real time. */
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

const unrecordedKept: Promised = async (adapter) => {
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

const mismatchKept: Promised = async (adapter) => {
  const bench = createBench(adapter);
  await bench.deliver(new ScriptedDelivery('1'));
  const other = new ScriptedDelivery('1', '{"cents":999}');
  await bench.deliver(other);
  assert.equal(bench.handled(), 1, 'another message under the same key does not run');
  assert.equal(acknowledged(other), false, 'another message under the same key is not passed in silence');
};

const failedKept: Promised = async (adapter) => {
  const bench = createBench(adapter, failForGood);
  for (const delivery of [new ScriptedDelivery('1'), new ScriptedDelivery('1')]) {
    await bench.deliver(delivery);
    assert.equal(acknowledged(delivery), false, 'what failed stays where there are no dead letters');
  }
  assert.equal(bench.handled(), 1, 'what failed for good does not run again');
};

const failedAcknowledged: Promised = async (adapter) => {
  const bench = createBench(adapter, failForGood);
  for (const delivery of [new ScriptedDelivery('1'), new ScriptedDelivery('1')]) {
    await bench.deliver(delivery);
    assert.deepEqual(delivery.told, ['acknowledge'], 'what failed is acknowledged: its record has the error');
  }
  assert.equal(bench.handled(), 1, 'what failed for good does not run again');
};

const unreadableKept: Promised = async (adapter) => {
  const bench = createBench(adapter);
  const delivery = new ScriptedDelivery('1', '{');
  await bench.deliver(delivery);
  assert.equal(bench.handled(), 0, 'what cannot be parsed does not run');
  assert.equal(acknowledged(delivery), false, 'what cannot be parsed stays where there are no dead letters');
};

const takenOver: Promised = async (adapter) => {
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

const mismatchCopied: Promised = async (adapter) => {
  const bench = createBench(adapter);
  await bench.deliver(new ScriptedDelivery('1'));
  const other = new ScriptedDelivery('1', '{"cents":999}');
  await bench.deliver(other, { deadLetter: () => other.deadLetter() });
  assert.deepEqual(other.told, ['dead-letter', 'acknowledge'], 'another message under a key is copied first');
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
  const expected = adapter.can.retryLater ? ['retry-later'] : [];
  assert.deepEqual(delivery.told, expected, 'what has not started is returned where the broker can');
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
  assert.deepEqual(delivery.log, ['extend'], 'a message that another worker may have is not touched');
};

const noDeadLetterAfterLapse: Promised = async (adapter) => {
  const work = gate();
  const bench = createBench(adapter, () => work.passed.then(failForGood));
  const delivery = new ScriptedDelivery('1');
  const ended = bench.deliver(delivery, { deadLetter: () => delivery.deadLetter() });
  delivery.lose();
  await until('an extension', () => delivery.log.length >= 1, ended);
  work.open();
  await ended;
  assert.deepEqual(delivery.told, [], 'the dead letter of a lapsed message is left to who has it now');
};

const lostUnnoticed: Promised = async (adapter) => {
  const work = gate();
  const bench = createBench(adapter, () => work.passed);
  const lost = bench.deliver(new ScriptedDelivery('1'));
  await until('the handler to run', () => bench.handled() === 1, lost);
  const redelivery = new ScriptedDelivery('1');
  const redelivered = bench.deliver(redelivery);
  await sleep(100);
  assert.equal(
    acknowledged(redelivery),
    false,
    'a redelivery is not acknowledged while the first delivery runs',
  );
  work.open();
  await Promise.all([lost, redelivered]);
  assert.equal(bench.handled(), 1, 'a redelivery runs nothing while the first delivery runs');
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

type Row = readonly [name: string, promised: Promised];

const WITH_DEAD_LETTERS: Row[] = [
  ['sends the dead letter before it acknowledges', deadLetterFirst],
  ['keeps a message whose dead letter is refused', deadLetterRefused],
  ['sends a message under a key that is another message to the dead letters', mismatchCopied],
];
const WITH_KEEPING: Row[] = [
  ['keeps what failed for good where there are no dead letters', failedKept],
  ['keeps what cannot be parsed where there are no dead letters', unreadableKept],
];
const WITHOUT_KEEPING: Row[] = [
  ['cannot keep what failed for good: it is acknowledged, and does not run again', failedAcknowledged],
];
const WITH_EXTENSIONS: Row[] = [['extends a message while it is in hand, and not after', extended]];
const WITH_LOSS: Row[] = [['does not touch a message after it has lapsed', nothingAfterLapse]];
const WITHOUT_LOSS: Row[] = [
  ['cannot tell that a message is lost: what is delivered again meanwhile does not run', lostUnnoticed],
];
const WITHOUT_EXTENSIONS: Row[] = [
  ['cannot extend: a long handler is protected by its lease alone', neverExtended],
];
const AFTER_LAPSE: Row = ['sends no dead letter of a message that has lapsed', noDeadLetterAfterLapse];

const ability = z.boolean({ error: 'must be true or false' });

const adapterSchema = z.object(
  {
    can: z
      .strictObject(
        {
          ...{ extend: ability, tellsLoss: ability, retryLater: ability },
          ...{ deadLetter: ability, keepFailed: ability },
        },
        { error: 'must say of each ability whether the adapter has it' },
      )
      .refine(({ extend, tellsLoss }) => extend || !tellsLoss, {
        path: ['tellsLoss'],
        error: 'must be false without extend: an extension is what tells it',
      }),
    handle: callback<AdapterUnderTest['handle']>('a function of (message, setup), which returns a promise'),
  },
  { error: 'the adapter must be an object: { can, handle }' },
);

/**
 * What every adapter promises, against a scripted broker: for any test runner.
 *
 * What an adapter's broker cannot do has a case of its own. A case takes up to five seconds, and one that fails up to
 * eleven: give the runner more. Throws `InvalidOptionsError` on what is no adapter.
 *
 * @example
 * ```ts
 * const adapter: AdapterUnderTest = {
 *   can: { extend: false, tellsLoss: false, retryLater: true, deadLetter: false, keepFailed: true },
 *   handle: (message, { handleOnce, handler, signal }) => consume(message, { handleOnce, handler, signal }),
 * };
 * for (const { name, run } of adapterContract(adapter)) test(name, run);
 * ```
 */
export function adapterContract(adapter: AdapterUnderTest): readonly ContractCase[] {
  const { can } = parseOptions('adapterContract', adapterSchema, adapter);
  const rows: Row[] = [
    ['acknowledges a message once its record is settled, and not before', settledFirst],
    ['acknowledges a duplicate that is answered from the record', replayAcknowledged],
    ['keeps a message whose handler threw, and runs it again', keptAfterError],
    ['keeps a duplicate of a message that runs, which runs once', keptWhilePending],
    ['keeps a message while the store is down, and runs nothing', storeDown],
    ['keeps a message whose end could not be recorded', unrecordedKept],
    ['keeps a message under a key that is another message', mismatchKept],
    ['keeps a message that another delivery has taken over', takenOver],
    ['starts nothing when the consumer stops', stoppedBefore],
    ...(can.deadLetter ? WITH_DEAD_LETTERS : []),
    ...(can.keepFailed ? WITH_KEEPING : WITHOUT_KEEPING),
    ...(can.extend ? WITH_EXTENSIONS : WITHOUT_EXTENSIONS),
    ...(can.tellsLoss ? WITH_LOSS : WITHOUT_LOSS),
    ...(can.tellsLoss && can.deadLetter ? [AFTER_LAPSE] : []),
  ];
  return rows.map(([name, promised]) => ({ name, run: () => promised(adapter) }));
}
