import type { Message } from '@aws-sdk/client-sqs';
import { type HandleOnce, type HandleOnceOptions, StoreError, TerminalError } from 'handle-once';
import type { Store } from 'handle-once/store';
import { type HandledMessage, type SqsHandler, onceEachSqsMessage } from 'handle-once/sqs';
import type { SqsKeptReason } from '../../../adapters/sqs/events.ts';
import type { SqsOnFailed } from '../../../adapters/shared/sqs/queue-options.ts';
import { createMemoryStore } from 'handle-once/testing';
import { expect, test } from 'vitest';
import { createQueue, drain } from '../../support/sqs.ts';
import type { Fixture, Setup } from '../support/fixture.ts';
import { interposedClient } from '../support/interposed-client.ts';

type Handler = SqsHandler<unknown>;

interface Row {
  readonly name: string;
  readonly onFailed?: 'acknowledge' | 'keep' | 'dead-letter';
  readonly handleOnce?: Partial<HandleOnceOptions>;
  readonly handler?: Handler;
  readonly key?: (message: Message) => string;
  readonly signal?: AbortSignal;
  /** Puts the record into a state before the delivery. */
  readonly before?: (handleOnce: HandleOnce, message: Message) => Promise<unknown>;
  readonly action: HandledMessage<unknown>['action'];
  /** Of a message that is left. */
  readonly reason?: SqsKeptReason;
  /** Whether its visibility is set, and to what at the most. */
  readonly visibleAfterSeconds?: number;
}

const noop: Handler = () => undefined;
const terminal: Handler = () => {
  throw new TerminalError('never again');
};
const retryable: Handler = () => {
  throw new Error('not now');
};
const body = (message: Message): string => message.Body ?? '';

/** A handler whose record another worker takes over while it runs. */
function losesItsLease({ sql }: Fixture): Handler {
  return async (_, { scope, key }) => {
    await sql`update handle_once.records set token = gen_random_uuid() where scope = ${scope} and key = ${key}`;
  };
}

function storeWith(changed: Partial<Store>): Partial<HandleOnceOptions> {
  return { store: { ...createMemoryStore(), ...changed } };
}

const down = (): Promise<never> => Promise.reject(new StoreError('down', { retriable: true }));

function rows(fixture: Fixture): Row[] {
  const failedBefore = (handleOnce: HandleOnce, message: Message) =>
    handleOnce(message.MessageId ?? '', body(message), terminal as never);
  return [
    { name: 'a first success', action: 'acknowledged' },
    {
      name: 'a replayed success',
      before: (handleOnce, message) => handleOnce(message.MessageId ?? '', body(message), () => 1),
      action: 'acknowledged',
    },
    ...(['acknowledge', 'keep', 'dead-letter'] as const).flatMap((onFailed): Row[] => {
      const done = { acknowledge: 'acknowledged', keep: 'kept', 'dead-letter': 'dead-lettered' } as const;
      const expected = {
        onFailed,
        action: done[onFailed],
        ...(onFailed === 'keep' ? { reason: 'failed' as const } : {}),
      };
      return [
        { name: `a first failure (${onFailed})`, handler: terminal, ...expected },
        { name: `a replayed failure (${onFailed})`, before: failedBefore, ...expected },
      ];
    }),
    {
      name: 'in flight elsewhere',
      before: (handleOnce, message) => {
        // Never ends: its lease lapses when the test's database does.
        void handleOnce(message.MessageId ?? '', body(message), () => new Promise(() => undefined));
        return new Promise((resolve) => setImmediate(resolve));
      },
      handleOnce: { store: createMemoryStore() },
      action: 'kept',
      reason: 'in-flight',
      visibleAfterSeconds: 1,
    },
    {
      name: 'released after a retryable error',
      handler: retryable,
      handleOnce: { backoff: () => 6_500 },
      action: 'kept',
      reason: 'released',
      visibleAfterSeconds: 7,
    },
    {
      name: 'a redelivery during the backoff',
      handleOnce: { backoff: () => 7_500 },
      before: (handleOnce, message) => handleOnce(message.MessageId ?? '', body(message), retryable as never),
      action: 'kept',
      reason: 'released',
      visibleAfterSeconds: 8,
    },
    { name: 'a lost lease', handler: losesItsLease(fixture), action: 'kept', reason: 'lease-lost' },
    {
      name: 'a settle that cannot be recorded',
      handleOnce: storeWith({ settle: down }),
      action: 'kept',
      reason: 'unrecorded',
    },
    {
      name: 'a payload mismatch',
      before: (handleOnce, message) => handleOnce(message.MessageId ?? '', 'another payload', () => 1),
      action: 'kept',
      reason: 'mismatch',
    },
    {
      name: 'a payload mismatch (dead-letter)',
      onFailed: 'dead-letter',
      before: (handleOnce, message) => handleOnce(message.MessageId ?? '', 'another payload', () => 1),
      action: 'dead-lettered',
    },
    { name: 'an invalid key', key: () => '', action: 'kept', reason: 'invalid-key' },
    { name: 'an invalid key (dead-letter)', onFailed: 'dead-letter', key: () => '', action: 'dead-lettered' },
    {
      name: 'an async key function (dead-letter)',
      onFailed: 'dead-letter',
      key: (() => Promise.resolve('key')) as never,
      action: 'kept',
      reason: 'error',
    },
    {
      name: 'a store that is down',
      handleOnce: storeWith({ claim: down }),
      action: 'kept',
      reason: 'store-error',
    },
    {
      name: 'missing tables',
      handleOnce: { databaseSchema: 'not_migrated' },
      action: 'kept',
      reason: 'store-error',
    },
    {
      name: 'an unforeseen error',
      handleOnce: storeWith({ claim: () => Promise.reject(new TypeError('a bug')) }),
      action: 'kept',
      reason: 'error',
    },
    {
      name: 'an abort before it started',
      signal: AbortSignal.abort(),
      action: 'kept',
      reason: 'aborted',
      visibleAfterSeconds: 0,
    },
  ];
}

/** Each row of the disposition table, with a real message on a real queue. */
export function dispositionSuite(fixture: Fixture): void {
  test.each(rows(fixture))('$name: $action', async (row) => {
    const setup = await fixture.setup({ visibilityTimeoutSeconds: 30 }, row.handleOnce);
    const deadLetterQueueUrl = await createQueue(fixture.client);
    await setup.send('"body"');
    const message = await setup.receive();
    await row.before?.(setup.handleOnce, message);

    const client = interposedClient(fixture.client);
    const { queueUrl, handleOnce, onEvent } = setup;
    const onFailed: SqsOnFailed =
      row.onFailed === 'dead-letter' ? { deadLetterQueueUrl } : (row.onFailed ?? 'acknowledge');
    const key = row.key === undefined ? {} : { key: row.key };
    const handle = onceEachSqsMessage(
      { client, queueUrl, handleOnce, onFailed, onEvent, ...key },
      row.handler ?? noop,
    );
    const handled = await handle(message, row.signal === undefined ? {} : { signal: row.signal });

    expect(handled.action).toBe(row.action);
    expect(await drain(fixture.client, deadLetterQueueUrl)).toHaveLength(
      row.action === 'dead-lettered' ? 1 : 0,
    );
    await expectAtTheQueue(setup, row, handled, client.touches(message.ReceiptHandle ?? '').length);
  });
}

async function expectAtTheQueue(
  setup: Setup,
  row: Row,
  handled: HandledMessage<unknown>,
  touches: number,
): Promise<void> {
  if (row.action !== 'kept') {
    expect(await setup.size()).toEqual({ visible: 0, invisible: 0 });
    return;
  }
  expect(setup.eventsOf('kept')).toMatchObject([{ reason: row.reason }]);
  expect(handled.visibleAfterSeconds).toBe(row.visibleAfterSeconds);
  expect(touches).toBe(row.visibleAfterSeconds === undefined ? 0 : 1);
  const atOnce = row.visibleAfterSeconds === 0;
  expect(await setup.size()).toEqual({ visible: atOnce ? 1 : 0, invisible: atOnce ? 0 : 1 });
}
