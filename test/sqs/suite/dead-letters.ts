import { randomUUID } from 'node:crypto';
import {
  ChangeMessageVisibilityCommand,
  type MessageAttributeValue,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { TerminalError } from 'handle-once';
import { onceEachSqsMessage } from 'handle-once/sqs';
import type { SqsClient } from '../../../adapters/shared/sqs/queue.ts';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createQueue, drain, sqsEndpoint } from '../../support/sqs.ts';
import { createSqsClient } from '../../support/sqs-client.ts';
import { sqsWithSizeLimit } from '../../support/sqs-size-limit.ts';
import { attributes, deleteFails, text } from '../support/failing.ts';
import type { Fixture, Setup } from '../support/fixture.ts';
import { interposedClient, sdkError } from '../support/interposed-client.ts';

const OURS = ['HandleOnceScope', 'HandleOnceKey', 'HandleOnceError', 'HandleOnceAttempts'];
const MAX_BYTES = 1_048_576;

const CARD_BLOCKED = 'CardBlockedError';

class CardBlockedError extends TerminalError {
  override readonly name: string = CARD_BLOCKED;
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
    return onceEachSqsMessage(
      { client, queueUrl, handleOnce, onEvent, onFailed: { deadLetterQueueUrl } },
      () => {
        throw new CardBlockedError('card is blocked');
      },
    );
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
      HandleOnceError: `${CARD_BLOCKED}: card is blocked`,
      HandleOnceAttempts: '1',
    });
    expect(queue.eventsOf('dead-lettered')).toMatchObject([
      { messageId, to: deadLetters, droppedAttributes: [] },
    ]);
    await queue.empty();
  });

  test.each([
    [10, []],
    [8, ['HandleOnceScope', 'HandleOnceKey']],
  ])('keeps all %i attributes of the original, and of ours %j', async (count, ours) => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const queue = await setup();
    const deadLetters = await createQueue(fixture.client);
    const own = attributes(count);
    await queue.send('1', { attributes: own });
    await failing(queue, deadLetters)(await queue.receive());
    const [letter] = await drain(fixture.client, deadLetters);
    const kept = [...Object.keys(own), ...ours];
    expect(Object.keys(letter?.MessageAttributes ?? {}).sort()).toEqual(kept.sort());
    expectDropped(
      queue,
      OURS.filter((name) => !ours.includes(name)),
    );
    warn.mockRestore();
  });

  describe('near the size limit of SQS', () => {
    const sizeLimited = async (maxBytes: number): Promise<SQSClient> => {
      const limited = createSqsClient(await sqsWithSizeLimit(sqsEndpoint(fixture.server), maxBytes));
      onTestFinished(() => {
        limited.destroy();
      });
      return limited;
    };

    test.each([
      ['as large as SQS takes', MAX_BYTES, 0, OURS],
      ['with room for some of ours', MAX_BYTES, 150, ['HandleOnceError']],
      ['in a queue that takes less than it would', 2_000, 20, OURS],
    ])(
      'a body %s gets through, without those of ours that do not fit',
      async (_, maxBytes, room, dropped) => {
        const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
        const queue = await setup({ visibilityTimeoutSeconds: 30 }, { scope: `scope-${randomUUID()}` });
        const deadLetters = await createQueue(fixture.client);
        const body = JSON.stringify('x'.repeat(maxBytes - room - '""'.length - 'TenantStringacme'.length));
        await queue.send(body, { attributes: { Tenant: text('acme') } });

        const handled = await failing(queue, deadLetters, await sizeLimited(maxBytes))(await queue.receive());

        expect(handled.action).toBe('dead-lettered');
        const [letter] = await drain(fixture.client, deadLetters);
        expect(letter?.Body === body).toBe(true);
        expect(Object.keys(letter?.MessageAttributes ?? {}).sort()).toEqual(
          ['Tenant', ...OURS.filter((name) => !dropped.includes(name))].sort(),
        );
        expectDropped(queue, dropped);
        warn.mockRestore();
      },
    );
  });

  function expectDropped(queue: Setup, dropped: readonly string[]): void {
    expect(queue.eventsOf('dead-lettered')).toMatchObject([{ droppedAttributes: dropped }]);
    expect(queue.eventsOf('warning')).toMatchObject([
      {
        warning: 'DEAD_LETTER_ATTRIBUTES_DROPPED',
        message: expect.stringContaining(dropped.join(', ')) as string,
      },
    ]);
  }

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
    expect(await onceEachSqsMessage(options, () => 1)(await queue.receive())).toMatchObject({
      action: 'dead-lettered',
    });
    const [letter] = await drain(fixture.client, deadLetters);
    expect(valuesOf(letter?.MessageAttributes)).toMatchObject({
      HandleOnceError: expect.stringMatching(/^InvalidKeyError: (key must|the key function) /) as string,
    });
  });

  test('a key that repeats with another payload says so in its dead letter', async () => {
    const queue = await setup();
    const deadLetters = await createQueue(fixture.client);
    await queue.send('1');
    const message = await queue.receive();
    await queue.handleOnce(message.MessageId ?? '', 'another payload', () => 1);
    expect(await failing(queue, deadLetters)(message)).toMatchObject({ error: { code: 'PAYLOAD_MISMATCH' } });
    const [letter] = await drain(fixture.client, deadLetters);
    expect(valuesOf(letter?.MessageAttributes)).toMatchObject({
      HandleOnceError: expect.stringMatching(/^PayloadMismatchError: key /) as string,
    });
  });

  test('in a FIFO queue keeps its group, and is one dead letter however often it is sent', async () => {
    const queue = await setup({ fifo: true });
    const deadLetters = await createQueue(fixture.client, { fifo: true });
    await queue.send('1', { group: 'customer-7' });

    const message = await queue.receive();
    expect((await failing(queue, deadLetters, deleteFails(fixture))(message)).action).toBe('kept');
    const { ReceiptHandle } = message;
    const shown = { QueueUrl: queue.queueUrl, ReceiptHandle, VisibilityTimeout: 0 };
    await fixture.client.send(new ChangeMessageVisibilityCommand(shown));
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
      action: 'kept',
      outcome: { state: 'failed' },
      error: { name: 'AccessDenied' },
    });
    expect(queue.eventsOf('dead-letter-error')).toMatchObject([{ to: deadLetters }]);
    expect(queue.eventsOf('kept')).toMatchObject([{ reason: 'dead-letter-refused' }]);
    expect(refusing.touches(message.ReceiptHandle ?? '')).toEqual([]);
    expect(await queue.size()).toEqual({ visible: 0, invisible: 1 });
  });
}
