import type { MessageAttributeValue } from '@aws-sdk/client-sqs';
import { TerminalError } from 'handle-once';
import { type SqsClient, wrapSqsHandler } from 'handle-once/sqs';
import { expect, test } from 'vitest';
import { createQueue, drain } from '../../support/sqs.ts';
import type { Fixture, Setup } from '../support/fixture.ts';
import { interposedClient, sdkError } from '../support/interposed-client.ts';

const CARD_BLOCKED = 'CardBlockedError';

class CardBlockedError extends TerminalError {
  override readonly name: string = CARD_BLOCKED;
}

function text(value: string): MessageAttributeValue {
  return { DataType: 'String', StringValue: value };
}

function valuesOf(attributes: Record<string, MessageAttributeValue> | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(attributes ?? {}).map(([name, { StringValue, BinaryValue }]) => [
      name,
      StringValue ?? Buffer.from(BinaryValue ?? []).toString('hex'),
    ]),
  );
}

/** What a dead letter carries, and that no message is lost on the way. */
export function deadLetterSuite(fixture: Fixture): void {
  const { setup } = fixture;

  function failing(queue: Setup, deadLetterQueueUrl: string, client: SqsClient = fixture.client) {
    const { queueUrl, handleOnce, onEvent } = queue;
    return wrapSqsHandler({ client, queueUrl, handleOnce, onEvent, onFailed: { deadLetterQueueUrl } }, () => {
      throw new CardBlockedError('blocked');
    });
  }

  test('has the body and attributes of the original, and says why it is there', async () => {
    const queue = await setup();
    const deadLetters = await createQueue(fixture.client);
    const messageId = await queue.send('{"order":1}', {
      attributes: {
        Tenant: text('acme'),
        Priority: { DataType: 'Number', StringValue: '7' },
        Raw: { DataType: 'Binary', BinaryValue: Buffer.from('00ff', 'hex') },
      },
    });

    const handled = await failing(queue, deadLetters)(await queue.receive());

    expect(handled).toMatchObject({
      action: 'dead-lettered',
      outcome: { state: 'failed', reason: 'terminal' },
    });
    const [letter, ...others] = await drain(fixture.client, deadLetters);
    expect(others).toEqual([]);
    expect(letter?.Body).toBe('{"order":1}');
    expect(valuesOf(letter?.MessageAttributes)).toEqual({
      Tenant: 'acme',
      Priority: '7',
      Raw: '00ff',
      HandleOnceScope: queue.scope,
      HandleOnceKey: messageId,
      HandleOnceError: CARD_BLOCKED,
      HandleOnceAttempts: '1',
    });
    expect(queue.eventsOf('dead-lettered')).toMatchObject([{ messageId, deadLetterQueueUrl: deadLetters }]);
    await queue.empty();
  });

  test('keeps all ten attributes of the original, where ours find no room', async () => {
    const queue = await setup();
    const deadLetters = await createQueue(fixture.client);
    const attributes = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`Own${n}`, text(String(n))]));
    await queue.send('1', { attributes });
    await failing(queue, deadLetters)(await queue.receive());
    const [letter] = await drain(fixture.client, deadLetters);
    expect(Object.keys(letter?.MessageAttributes ?? {}).sort()).toEqual(Object.keys(attributes).sort());
  });

  test.each([
    ['with characters that SQS refuses', 'a\u0000b\uffff'],
    ['with half a surrogate pair', 'a\ud800b'],
    ['that is not a text', undefined as unknown as string],
  ])('is sent also for a key %s', async (_, key) => {
    const queue = await setup();
    const deadLetters = await createQueue(fixture.client);
    const { queueUrl, handleOnce, onEvent } = queue;
    const onFailed = { deadLetterQueueUrl: deadLetters };
    const options = { client: fixture.client, queueUrl, handleOnce, onEvent, onFailed, key: () => key };
    await queue.send('1');
    expect(await wrapSqsHandler(options, () => 1)(await queue.receive())).toMatchObject({
      action: 'dead-lettered',
    });
    const [letter] = await drain(fixture.client, deadLetters);
    expect(valuesOf(letter?.MessageAttributes)).toMatchObject({ HandleOnceError: 'InvalidKeyError' });
  });

  test('a key that repeats with another payload says so in its dead letter', async () => {
    const queue = await setup();
    const deadLetters = await createQueue(fixture.client);
    await queue.send('1');
    const message = await queue.receive();
    await queue.handleOnce(message.MessageId ?? '', 'another payload', () => 1);
    expect(await failing(queue, deadLetters)(message)).toMatchObject({ error: { code: 'PAYLOAD_MISMATCH' } });
    const [letter] = await drain(fixture.client, deadLetters);
    expect(valuesOf(letter?.MessageAttributes)).toMatchObject({ HandleOnceError: 'PayloadMismatchError' });
  });

  test('in a FIFO queue keeps its group, and is one letter however often it is sent', async () => {
    const queue = await setup({ fifo: true, visibilityTimeoutSeconds: 1 }, { leaseMs: 600 });
    const deadLetters = await createQueue(fixture.client, { fifo: true });
    const undeletable = interposedClient(fixture.client, ({ verb }, forward) => {
      if (verb === 'DeleteMessageBatch') throw sdkError('ServiceUnavailable');
      return forward();
    });
    await queue.send('1', { group: 'customer-7' });

    expect((await failing(queue, deadLetters, undeletable)(await queue.receive())).action).toBe('left');
    expect((await failing(queue, deadLetters)(await queue.receive())).action).toBe('dead-lettered');

    const letters = await drain(fixture.client, deadLetters);
    expect(letters).toMatchObject([{ Body: '1', Attributes: { MessageGroupId: 'customer-7' } }]);
    await queue.empty();
  });

  test('of a standard queue can go to a FIFO queue', async () => {
    const queue = await setup();
    const deadLetters = await createQueue(fixture.client, { fifo: true });
    await queue.send('1');
    expect((await failing(queue, deadLetters)(await queue.receive())).action).toBe('dead-lettered');
    expect(await drain(fixture.client, deadLetters)).toHaveLength(1);
  });

  test('that the dead-letter queue does not take leaves the message where it is', async () => {
    const queue = await setup();
    const deadLetters = await createQueue(fixture.client);
    const refusing = interposedClient(fixture.client, ({ verb }, forward) => {
      if (verb === 'SendMessage') throw sdkError('AccessDenied');
      return forward();
    });
    await queue.send('1');
    const message = await queue.receive();

    const handled = await failing(queue, deadLetters, refusing)(message);

    expect(handled).toMatchObject({
      action: 'left',
      outcome: { state: 'failed' },
      error: { name: 'AccessDenied' },
    });
    expect(queue.eventsOf('queue-error')).toMatchObject([{ verb: 'dead-letter' }]);
    expect(queue.eventsOf('left')).toMatchObject([{ reason: 'queue-error' }]);
    expect(refusing.touches(message.ReceiptHandle ?? '')).toEqual([]);
    expect(await queue.size()).toEqual({ visible: 0, invisible: 1 });
  });
}
