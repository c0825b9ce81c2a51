import { type HandleOnce, type HandleOnceOptions, StoreError, TerminalError } from 'handle-once';
import type { Store } from 'handle-once/store';
import type { SqsConsumerOptions } from 'handle-once/sqs';
import type { SqsConsumerKeptReason } from '../../adapters/sqs/sqs-consumer/events.ts';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, test, vi } from 'vitest';
import { useFixture } from '../sqs/support/fixture.ts';
import { createQueue, drain } from '../support/sqs.ts';
import { damagedStore } from '../support/damaged-store.ts';
import { consume, type Handler, wrapperNames } from './support/consume.ts';

const BODY = '"body"';

interface Row {
  readonly name: string;
  readonly onFailed?: 'acknowledge' | 'keep' | 'dead-letter';
  readonly handleOnce?: () => Partial<HandleOnceOptions>;
  readonly handler?: Handler;
  readonly key?: () => string;
  readonly signal?: () => AbortSignal;
  readonly fingerprint?: SqsConsumerOptions<never, undefined, unknown>['fingerprint'];
  /** Puts the record into a state before the delivery. */
  readonly before?: (handleOnce: HandleOnce, id: string) => Promise<unknown>;
  /** Why it is left; undefined where sqs-consumer deletes it. */
  readonly left?: SqsConsumerKeptReason;
  /** What its visibility is set to, where it is set. */
  readonly seconds?: number;
}

const terminal = (): never => {
  throw new TerminalError('never again');
};
const retryable = (): never => {
  throw new Error('not now');
};
const down = (): Promise<never> => Promise.reject(new StoreError('down', { retriable: true }));
const storeWith = (changed: Partial<Store>) => () => ({ store: { ...createMemoryStore(), ...changed } });
const before =
  (body: string, fn: () => unknown) =>
  (handleOnce: HandleOnce, id: string): Promise<unknown> =>
    handleOnce(id, body, fn);

const failures = (['acknowledge', 'keep', 'dead-letter'] as const).flatMap((onFailed): Row[] => {
  const expected = { onFailed, ...(onFailed === 'keep' ? { left: 'failed' as const } : {}) };
  return [
    { name: `a first failure (${onFailed})`, handler: terminal, ...expected },
    { name: `a replayed failure (${onFailed})`, before: before(BODY, terminal), ...expected },
  ];
});

const rows: Row[] = [
  { name: 'a first success' },
  { name: 'a replayed success', before: before(BODY, () => 1) },
  ...failures,
  {
    name: 'in flight elsewhere',
    // Never ends: its store goes with the test.
    before: (handleOnce, id) => {
      void handleOnce(id, BODY, () => new Promise(() => undefined));
      return new Promise((resolve) => setImmediate(resolve));
    },
    handleOnce: storeWith({}),
    left: 'in-flight',
    seconds: 1,
  },
  {
    name: 'released after a retryable error',
    handler: retryable,
    handleOnce: () => ({ backoff: () => 6_500 }),
    left: 'released',
    seconds: 7,
  },
  {
    name: 'a redelivery during the backoff',
    handleOnce: () => ({ backoff: () => 60_000 }),
    before: before(BODY, retryable),
    left: 'released',
    seconds: 60,
  },
  {
    name: 'a settle that cannot be recorded',
    handleOnce: storeWith({ settle: down }),
    left: 'unrecorded',
  },
  { name: 'a payload mismatch', before: before('another', () => 1), left: 'mismatch' },
  {
    name: 'a payload mismatch (dead-letter)',
    onFailed: 'dead-letter',
    before: before('another', () => 1),
  },
  { name: 'another payload that is not compared', fingerprint: false, before: before('another', () => 1) },
  { name: 'a fingerprint that throws', fingerprint: retryable, left: 'error' },
  {
    name: 'a fingerprint that throws (dead-letter)',
    onFailed: 'dead-letter',
    fingerprint: retryable,
    left: 'error',
  },
  { name: 'an invalid key', key: () => '', left: 'invalid-key' },
  { name: 'an invalid key (dead-letter)', onFailed: 'dead-letter', key: () => '' },
  { name: 'a store that is down', handleOnce: storeWith({ claim: down }), left: 'store-error' },
  { name: 'missing tables', handleOnce: () => ({ databaseSchema: 'not_migrated' }), left: 'store-error' },
  {
    name: 'a damaged record',
    onFailed: 'dead-letter',
    handleOnce: () => ({ store: damagedStore() }),
    before: before(BODY, () => 1),
    left: 'error',
  },
  {
    name: 'an unforeseen error',
    handleOnce: storeWith({ claim: () => Promise.reject(new TypeError('a bug')) }),
    left: 'error',
  },
  { name: 'an abort before it started', signal: () => AbortSignal.abort(), left: 'aborted', seconds: 0 },
];

describe('sqs-consumer', () => {
  const fixture = useFixture('elasticmq');

  describe.each(wrapperNames)('with %s', (wrapper) => {
    async function run(row: Row) {
      const setup = await fixture.setup({ visibilityTimeoutSeconds: 30 }, row.handleOnce?.());
      const deadLetterQueueUrl = await createQueue(fixture.client);
      const id = await setup.send(BODY);
      await row.before?.(setup.handleOnce, id);
      const { handleOnce, queueUrl } = setup;
      const { key, signal, fingerprint } = row;
      const consuming = consume(
        wrapper,
        fixture.client,
        {
          settings: { queueUrl, visibilityTimeout: 30 },
          handleOnce,
          onFailed: row.onFailed === 'dead-letter' ? { deadLetterQueueUrl } : (row.onFailed ?? 'acknowledge'),
          ...(key && { key }),
          ...(signal && { signal }),
          ...(fingerprint !== undefined && { fingerprint }),
        },
        row.handler ?? (() => undefined),
        (event, consumer) => {
          if (event.type === 'acknowledged' || event.type === 'kept') consumer.stop();
        },
      );
      await vi.waitUntil(() => !consuming.consumer.status.isRunning, { timeout: 15_000 });
      await consuming.stopped();
      const size = await setup.size();
      return { ...consuming, size, deadLetters: await drain(fixture.client, deadLetterQueueUrl) };
    }

    test.each(rows.filter(({ left }) => left === undefined))('$name: it deletes the message', async (row) => {
      const { size, told, calls, deadLetters } = await run(row);
      expect(told).toEqual(['message_processed']);
      expect(size).toEqual({ visible: 0, invisible: 0 });
      expect(calls.filter(({ verb }) => verb.startsWith('ChangeMessageVisibility'))).toEqual([]);
      expect(deadLetters).toHaveLength(row.onFailed === 'dead-letter' ? 1 : 0);
    });

    test.each(rows.filter(({ left }) => left !== undefined))(
      '$name: it leaves the message, and tells of no error',
      async ({ left, seconds, ...row }) => {
        const { ofType, size, told, calls, deadLetters } = await run(row);
        expect(ofType('kept')).toMatchObject([{ reason: left, visibleAfterSeconds: seconds }]);
        expect(told).toEqual([]);
        expect(calls.filter(({ verb }) => verb.startsWith('Delete'))).toEqual([]);
        const changes = calls.filter(({ verb }) => verb.startsWith('ChangeMessageVisibility'));
        expect(changes.map(({ visibility }) => visibility)).toEqual(seconds === undefined ? [] : [[seconds]]);
        const atOnce = seconds === 0;
        expect(size).toEqual({ visible: atOnce ? 1 : 0, invisible: atOnce ? 0 : 1 });
        expect(deadLetters).toEqual([]);
      },
    );
  });

  test('a lost lease leaves the message: another worker has it', async () => {
    const setup = await fixture.setup({ visibilityTimeoutSeconds: 30 });
    const { queueUrl, handleOnce } = setup;
    await setup.send(BODY);
    const { sql } = fixture;
    const { ofType, told, consumer } = consume(
      'handleMessage',
      fixture.client,
      { settings: { queueUrl, visibilityTimeout: 30 }, handleOnce },
      async (_, { scope, key }) => {
        await sql`update handle_once.records set token = gen_random_uuid() where scope = ${scope} and key = ${key}`;
      },
    );
    await vi.waitFor(() => {
      expect(ofType('kept')).toMatchObject([{ reason: 'lease-lost', visibleAfterSeconds: undefined }]);
    }, 15_000);
    expect(told).toEqual([]);
    consumer.stop();
  });
});
