import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { gate } from '../gate.ts';
import { acknowledged, failForGood, type Promised } from './promised.ts';
import { ScriptedDelivery, until } from './script.ts';
import { ACK_WAIT_MS, createBench } from './setup.ts';

// How long a message is held.

export const extended: Promised = async (adapter) => {
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

export const nothingAfterLapse: Promised = async (adapter) => {
  const work = gate();
  const bench = createBench(adapter, () => work.passed);
  const delivery = new ScriptedDelivery('1');
  const ended = bench.deliver(delivery);
  delivery.lose();
  await until('an extension', () => delivery.log.length >= 1, ended);
  await sleep(ACK_WAIT_MS);
  work.open();
  await ended;
  assert.deepEqual(delivery.log, ['extend'], 'there is no call for a message that another worker may have');
};

export const noDeadLetterAfterLapse: Promised = async (adapter) => {
  const work = gate();
  const bench = createBench(adapter, () => work.passed.then(failForGood));
  const delivery = new ScriptedDelivery('1');
  const ended = bench.deliver(delivery, { deadLetter: () => delivery.deadLetter() });
  delivery.lose();
  await until('an extension', () => delivery.log.length >= 1, ended);
  work.open();
  await ended;
  assert.deepEqual(delivery.verbs, [], 'the dead letter of a lapsed message is left to its present owner');
};

export const lostUnnoticed: Promised = async (adapter) => {
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

export const neverExtended: Promised = async (adapter) => {
  const bench = createBench(adapter, () => sleep(ACK_WAIT_MS / 2));
  const delivery = new ScriptedDelivery('1');
  await bench.deliver(delivery);
  assert.deepEqual(delivery.log, ['acknowledge']);
};
