import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { gate } from '../gate.ts';
import { acknowledged, failForGood, type Promised } from './promised.ts';
import { ScriptedDelivery, until } from './script.ts';
import { createBench } from './setup.ts';

// What becomes of messages that failed permanently, cannot be read, or share a key.

export const mismatchKept: Promised = async (adapter) => {
  const bench = createBench(adapter);
  await bench.deliver(new ScriptedDelivery('1'));
  const other = new ScriptedDelivery('1', '{"cents":999}');
  await bench.deliver(other);
  assert.equal(bench.handled(), 1, 'another message under the same key does not run');
  assert.equal(acknowledged(other), false, 'another message under the same key is not skipped silently');
};

export const failedKept: Promised = async (adapter) => {
  const bench = createBench(adapter, failForGood);
  for (const delivery of [new ScriptedDelivery('1'), new ScriptedDelivery('1')]) {
    await bench.deliver(delivery);
    assert.equal(acknowledged(delivery), false, 'a message that failed stays if there are no dead letters');
  }
  assert.equal(bench.handled(), 1, 'a message that failed permanently does not run again');
};

export const failedAcknowledged: Promised = async (adapter) => {
  const bench = createBench(adapter, failForGood);
  for (const delivery of [new ScriptedDelivery('1'), new ScriptedDelivery('1')]) {
    await bench.deliver(delivery);
    assert.deepEqual(
      delivery.verbs,
      ['acknowledge'],
      'a message that failed is acknowledged: its record has the error',
    );
  }
  assert.equal(bench.handled(), 1, 'a message that failed permanently does not run again');
};

export const unreadableKept: Promised = async (adapter) => {
  const bench = createBench(adapter);
  const delivery = new ScriptedDelivery('1', '{');
  await bench.deliver(delivery);
  assert.equal(bench.handled(), 0, 'a message that cannot be parsed does not run');
  assert.equal(
    acknowledged(delivery),
    false,
    'a message that cannot be parsed stays if there are no dead letters',
  );
};

export const mismatchCopied: Promised = async (adapter) => {
  const bench = createBench(adapter);
  await bench.deliver(new ScriptedDelivery('1'));
  const other = new ScriptedDelivery('1', '{"cents":999}');
  await bench.deliver(other, { deadLetter: () => other.deadLetter() });
  assert.deepEqual(
    other.verbs,
    ['dead-letter', 'acknowledge'],
    'another message under a key is copied first',
  );
};

export const deadLetterFirst: Promised = async (adapter) => {
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
  assert.deepEqual(delivery.verbs, ['dead-letter'], 'the copy is safe before the message is acknowledged');
  sent.open();
  await ended;
  assert.deepEqual(delivery.verbs, ['dead-letter', 'acknowledge']);
};

export const deadLetterRefused: Promised = async (adapter) => {
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
