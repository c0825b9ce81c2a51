import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { gate } from './gate.ts';
import { compacted, type TestKafka, useKafka } from './kafka.ts';

const kafka = useKafka();

/** Starts a group's member, and gives the list that the values it gets are added to. */
async function consume(from: TestKafka, topic: string, groupId: string): Promise<string[]> {
  const values: string[] = [];
  const consumer = from.consumer({ groupId });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    eachMessage({ message }) {
      values.push(String(message.value));
      return Promise.resolve();
    },
  });
  return values;
}

async function offsetsOf(topic: string): Promise<string[]> {
  return (await kafka.read(topic)).map(({ offset }) => offset);
}

describe('Kafka', () => {
  it('keeps messages in the partitions of a topic', async () => {
    const topic = await kafka.createTopic({ partitions: 3 });
    await kafka.produce(topic, [
      { partition: 0, key: 'a', value: 'one', headers: { trace: 'x' } },
      { partition: 2, value: null },
    ]);

    expect(await kafka.endOffsets(topic)).toEqual([1, 0, 1]);
    const messages = (await kafka.read(topic)).toSorted((one, other) => one.partition - other.partition);
    expect(messages).toMatchObject([
      { partition: 0, offset: '0', key: Buffer.from('a'), headers: { trace: Buffer.from('x') } },
      { partition: 2, offset: '0', key: null, value: null },
    ]);
  });

  it('has nothing to read in a new topic', async () => {
    expect(await kafka.read(await kafka.createTopic())).toEqual([]);
  });

  it('keeps what a group has committed', async () => {
    const topic = await kafka.createTopic({ partitions: 2 });
    const groupId = kafka.groupId();
    expect(await kafka.committed(groupId, topic)).toEqual([-1, -1]);
    await kafka.produce(topic, [
      { partition: 1, value: 'one' },
      { partition: 1, value: 'two' },
    ]);

    const values = await consume(kafka, topic, groupId);

    await expect.poll(() => kafka.committed(groupId, topic), { timeout: 10_000 }).toEqual([-1, 2]);
    expect(values).toEqual(['one', 'two']);
  });

  it('evicts a member that is silent for less than a second', async () => {
    const topic = await kafka.createTopic();
    const groupId = kafka.groupId();
    await kafka.produce(topic, [{ value: 'one' }]);
    const [received, finished] = [gate(), gate()];
    const silent = kafka.consumer({ groupId, sessionTimeout: 600, heartbeatInterval: 100 });
    onTestFinished(() => {
      finished.open();
    });
    await silent.connect();
    await silent.subscribe({ topic, fromBeginning: true });
    await silent.run({
      eachMessage() {
        received.open();
        return finished.opened;
      },
    });
    await received.opened;

    const values = await consume(kafka, topic, groupId);

    await vi.waitUntil(() => values.includes('one'), { timeout: 10_000, interval: 20 });
  });

  it('leaves gaps in a topic that is compacted', async () => {
    const topic = await kafka.createTopic({ config: compacted });
    const versions = [
      { key: 'a', value: '1' },
      { key: 'b', value: '1' },
      { key: 'a', value: '2' },
      { key: 'c', value: '1' },
      { key: 'a', value: '3' },
    ];
    for (const message of versions) await kafka.produce(topic, [message]);
    expect(await offsetsOf(topic)).toEqual(['0', '1', '2', '3', '4']);

    await kafka.compact(topic, { key: 'd', value: '1' });
    expect(await offsetsOf(topic)).toEqual(['1', '3', '4', '5']);

    await kafka.compact(topic, { key: 'c', value: '2' });
    await kafka.compact(topic, { key: 'e', value: '1' });
    expect(await offsetsOf(topic)).toEqual(['1', '4', '5', '6', '7']);
  });

  it('gives the end of a transaction an offset that no message has', async () => {
    const topic = await kafka.createTopic();
    await kafka.produce(topic, [{ value: 'one' }], { transaction: 'committed' });
    await kafka.produce(topic, [{ value: 'undone' }], { transaction: 'aborted' });
    await kafka.produce(topic, [{ value: 'two' }], { transaction: 'committed' });

    expect(await kafka.endOffsets(topic)).toEqual([6]);
    expect(await offsetsOf(topic)).toEqual(['0', '4']);
  });

  it('counts from 0 again in a topic that was deleted and made again', async () => {
    const topic = await kafka.createTopic();
    await kafka.produce(topic, [{ value: 'one' }, { value: 'two' }]);

    await kafka.remakeTopic(topic);

    expect(await kafka.endOffsets(topic)).toEqual([0]);
    await kafka.produce(topic, [{ value: 'three' }]);
    expect(await kafka.read(topic)).toMatchObject([{ offset: '0', value: Buffer.from('three') }]);
  });
});
