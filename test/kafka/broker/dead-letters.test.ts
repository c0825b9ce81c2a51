import { TerminalError } from 'handle-once';
import type { KafkaProducer } from '../../../adapters/kafka/log/kafkajs-types.ts';
import type { ProducerConfig } from 'kafkajs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ReadMessage } from '../../support/kafka-read.ts';
import { isConfluent, tellsNoValue } from './support/client.ts';
import { numbered, type Setup, useFixture } from './support/fixture.ts';
import { until } from '../../support/until.ts';

const { kafka, setup } = useFixture();

const CARD_BLOCKED = 'CardBlockedError';

class CardBlockedError extends TerminalError {
  override readonly name: string = CARD_BLOCKED;
}

function refuse(): never {
  throw new CardBlockedError('card is blocked');
}

async function connectedProducer(config?: ProducerConfig) {
  const producer = kafka.kafka.producer(config);
  await producer.connect();
  onTestFinished(() => producer.disconnect());
  return producer;
}

const startingWith = (start: string) => expect.stringMatching(`^${start}`) as string;

/** What kafkajs reads is Buffers throughout. */
function headersOf({ headers = {} }: ReadMessage): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(String) : String(value),
    ]),
  );
}

/** A header without a value, which kafkajs can write and cannot measure: the first look at it is its measure. */
function withoutValue(key: string): string[] {
  const looks = ['', null];
  const header = { key, value: undefined };
  Object.defineProperty(header, 'value', { get: () => looks.shift() ?? null });
  return Object.assign([], { map: () => [header] });
}

/** What every dead letter says of where it comes from. */
function originOf({ topic, scope }: Setup, offset: number) {
  return {
    'handle-once-topic': topic,
    'handle-once-partition': '0',
    'handle-once-offset': String(offset),
    'handle-once-timestamp': expect.stringMatching(/^\d{13}$/) as string,
    'handle-once-scope': scope,
    'handle-once-key': `${topic}-0-${offset}`,
    'handle-once-id': expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  };
}

describe('A message that has failed for good', () => {
  test('is produced to the dead-letter topic as it was, with why, and then committed', async () => {
    const group = await setup();
    const deadLetterTopic = await kafka.createTopic();
    const raw = Buffer.from([0x00, 0xff, 0x7b]);
    await group.produce(
      { key: raw, value: raw, headers: { trace: 'x', raw, several: ['a', 'b'] } },
      { value: '' },
      { key: 'a', value: null },
      { key: '', value: 'empty key' },
    );

    await group.start(refuse, { onFailed: { deadLetterTopic, producer: await connectedProducer() } });
    await group.caughtUp();

    const letters = await kafka.read(deadLetterTopic);
    expect(letters.map(({ key, value }) => [key, value])).toEqual([
      [raw, raw],
      [null, Buffer.alloc(0)],
      [Buffer.from('a'), null],
      [Buffer.alloc(0), Buffer.from('empty key')],
    ]);
    expect(letters[0]?.headers?.['raw']).toEqual(raw);
    const why = { 'handle-once-error': `${CARD_BLOCKED}: card is blocked`, 'handle-once-attempts': '1' };
    expect(letters.map(headersOf)).toEqual([
      { trace: 'x', raw: String(raw), several: ['a', 'b'], ...originOf(group, 0), ...why },
      { ...originOf(group, 1), ...why },
      { ...originOf(group, 2), ...why },
      { ...originOf(group, 3), ...why },
    ]);
    expect(group.eventsOf('dead-lettered')).toHaveLength(4);
    expect(await group.committed()).toEqual([4]);
  });

  test('has an empty header in its dead letter where its own has no value, or is empty', async () => {
    const group = await setup();
    const deadLetterTopic = await kafka.createTopic();
    await group.produce({ value: 'a', headers: { none: withoutValue('none'), several: ['', 'b'] } });
    const several = [Buffer.alloc(0), Buffer.from('b')];
    expect((await kafka.read(group.topic))[0]?.headers).toEqual({ none: null, several });

    const seen: unknown[] = [];
    const handler = ({ message }: { message: { headers: object } }) => {
      seen.push(message.headers);
      refuse();
    };
    await group.start(handler, { onFailed: { deadLetterTopic, producer: await connectedProducer() } });
    await group.caughtUp();

    expect(seen).toEqual([{ none: tellsNoValue ? null : Buffer.alloc(0), several }]);
    expect((await kafka.read(deadLetterTopic))[0]?.headers).toMatchObject({ none: Buffer.alloc(0), several });
  });

  test('keeps what comes after a NUL, but in names of headers where the client cuts it off', async () => {
    const group = await setup();
    const deadLetterTopic = await kafka.createTopic();
    await group.produce({ key: 'k\0ey', value: 'v\0alue', headers: { 'tra\0ce': 'x\0y' } });
    const work = (): never => {
      throw new TerminalError('card\0blocked');
    };
    await group.start(work, { onFailed: { deadLetterTopic, producer: await connectedProducer() } });
    await group.caughtUp();
    const [letter] = await kafka.read(deadLetterTopic);
    expect([String(letter?.key), String(letter?.value)]).toEqual(['k\0ey', 'v\0alue']);
    expect(letter === undefined ? {} : headersOf(letter)).toMatchObject({
      [isConfluent ? 'tra' : 'tra\0ce']: 'x\0y',
      'handle-once-error': expect.stringMatching(/card.blocked/s) as string,
    });
  });

  test('waits for a dead-letter topic that does not take it, without another run', async () => {
    const group = await setup();
    await group.produce(...numbered(3));
    const deadLetterTopic = `${group.topic}-dead`;
    const handler = vi.fn(({ payload }: { payload: Buffer | null }) => {
      if (String(payload) === '1') refuse();
    });
    const producer = await connectedProducer({ retry: { retries: 0 } });
    const member = await group.start(handler, { onFailed: { deadLetterTopic, producer } });
    await until(() => group.eventsOf('dead-letter-error').length >= 2);
    expect(group.eventsOf('kept')[0]).toMatchObject({ offset: '1', reason: 'dead-letter-refused' });
    expect(await group.committed()).toEqual([1]);

    await kafka.makeTopic(deadLetterTopic);
    await group.caughtUp();

    expect(handler).toHaveBeenCalledTimes(3);
    expect((await kafka.read(deadLetterTopic)).map(({ value }) => String(value))).toEqual(['1']);
    expect(member.crashes).toEqual([]);
    expect(await group.committed()).toEqual([3]);
  });

  test('is produced once more, and not lost, when the reply to the first was', async () => {
    const group = await setup();
    const deadLetterTopic = await kafka.createTopic();
    await group.produce(...numbered(1));
    const producer = await connectedProducer();
    let sends = 0;
    const losing: KafkaProducer = {
      async send(record) {
        sends += 1;
        const reply = await producer.send(record);
        if (sends === 1) throw new Error('the reply was lost');
        return reply;
      },
    };
    const handler = vi.fn(refuse);
    await group.start(handler, { onFailed: { deadLetterTopic, producer: losing } });
    await group.caughtUp();

    expect(handler).toHaveBeenCalledTimes(1);
    expect(await kafka.read(deadLetterTopic)).toHaveLength(2);
    expect(await group.committed()).toEqual([1]);
  });

  test('goes there too when its record is another message’s, or its key cannot be had', async () => {
    const group = await setup();
    const deadLetterTopic = await kafka.createTopic();
    await group.produce({ value: 'paid' }, { value: 'refunded' }, { value: 'keyless' }, { value: 'paid' });
    const handler = vi.fn();
    await group.start(handler, {
      key: ({ value }) => {
        if (String(value) === 'keyless') throw new TypeError('no key');
        return 'order-1';
      },
      onFailed: { deadLetterTopic, producer: await connectedProducer() },
    });
    await group.caughtUp();

    expect(handler).toHaveBeenCalledTimes(1);
    const letters = await kafka.read(deadLetterTopic);
    expect(letters.map(({ value }) => String(value))).toEqual(['refunded', 'keyless']);
    expect(letters.map(headersOf)).toMatchObject([
      { 'handle-once-error': startingWith('PayloadMismatchError: key '), 'handle-once-attempts': '0' },
      {
        'handle-once-error': startingWith('InvalidKeyError: the key function threw'),
        'handle-once-attempts': '0',
      },
    ]);
    expect(await group.committed()).toEqual([4]);
  });
});
