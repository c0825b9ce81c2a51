import type { Message } from '@aws-sdk/client-sqs';
import { InvalidOptionsError } from 'handle-once';
import { showRecord } from 'handle-once/operations';
import { onceEachSqsMessage, timeOrderedKey } from 'handle-once/sqs';
import { describe, expect, test, vi } from 'vitest';
import { attributes, NO_LETTERS, setupFailing, setupWithPolicy, terminal } from '../support/failing.ts';
import type { Fixture } from '../support/fixture.ts';
import { interposedClient, sdkError } from '../support/interposed-client.ts';

/** Which dead letters stay, and how those of the queue's own redrive policy find their records. */
export function redriveKeptSuite(fixture: Fixture): void {
  const { client, sql } = fixture;

  test('a dead letter whose record is live is kept, and visible at once', async () => {
    const queue = await setupFailing(fixture);
    await queue.fail('1');
    await sql`
      update handle_once.records
      set state = 'pending', owned = true, failed_reason = null, live_until = now() + interval '1 minute'
      where scope = ${queue.scope}`;
    expect(await queue.redrive()).toMatchObject({ ...NO_LETTERS, kept: 1, keptFor: { running: 1 } });
    expect(await queue.letters()).toHaveLength(1);
  });

  test('a dead letter that was refused is kept: what is on record under its key is another message', async () => {
    const queue = await setupFailing(fixture);
    const id = await queue.send('1');
    await queue.handleOnce(id, 'another payload', () => 1);
    const { queueUrl, handleOnce, deadLetters } = queue;
    const onFailed = { deadLetterQueueUrl: deadLetters };
    await onceEachSqsMessage({ client, queueUrl, handleOnce, onFailed }, () => 1)(await queue.receive());
    expect(await queue.redrive()).toMatchObject({ ...NO_LETTERS, kept: 1, keptFor: { refused: 1 } });
  });

  test('a dead letter that was refused is kept, however little room its sender has left in it', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const queue = await setupFailing(fixture);
    const { queueUrl, handleOnce, deadLetters } = queue;
    const onFailed = { deadLetterQueueUrl: deadLetters };
    const fingerprint = (body: string): unknown => {
      if (body === '1') throw new TypeError('no order');
      return body;
    };
    const handle = onceEachSqsMessage({ client, queueUrl, handleOnce, onFailed, fingerprint }, () => 1);
    await queue.send('2');
    await handle(await queue.receive());
    await queue.send('1', { attributes: attributes(8) });
    expect(await handle(await queue.receive())).toMatchObject({ action: 'dead-lettered' });
    expect(await queue.redrive()).toMatchObject({ ...NO_LETTERS, kept: 1, keptFor: { refused: 1 } });
    warn.mockRestore();
  });

  test('a dead letter whose identity found no room is kept', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const queue = await setupFailing(fixture);
    await queue.fail('1', { attributes: attributes(9) });
    expect(await queue.redrive()).toMatchObject({ kept: 1, keptFor: { 'no-identity': 1 } });
    warn.mockRestore();
  });

  test('a dead letter of another scope than the one that is asked for is kept', async () => {
    const queue = await setupFailing(fixture);
    await queue.fail('1');
    expect(await queue.redrive({ scope: 'mail' })).toMatchObject({ kept: 1, keptFor: { 'other-scope': 1 } });
  });

  test('a message that fails again while the redrive runs is sent once, and its new dead letter is kept', async () => {
    const queue = await setupFailing(fixture);
    const id = await queue.fail('1');
    const onFailed = { deadLetterQueueUrl: queue.deadLetters };
    const failsAgain = interposedClient(client, async ({ verb }, forward) => {
      const reply = await forward();
      if (verb === 'DeleteMessageBatch') await queue.handleAll({ onFailed, handler: terminal });
      return reply;
    });
    const report = await queue.redrive({ client: failsAgain, limit: 3 });
    expect(report).toMatchObject({ state: 'finished', sent: 1, kept: 1, keptFor: { 'already-sent': 1 } });
    expect(report.letters).toMatchObject([
      { key: id, state: 'sent' },
      { key: id, state: 'kept', reason: 'already-sent' },
    ]);
    expect(await queue.redrive()).toMatchObject({ ...NO_LETTERS, sent: 1 });
  });

  test('a dead letter that its source refuses is kept, and any other failure ends the call', async () => {
    const queue = await setupFailing(fixture);
    const id = await queue.fail('1');
    const failing = (name: string) =>
      interposedClient(client, ({ verb }, forward) => {
        if (verb === 'SendMessage') throw sdkError(name);
        return forward();
      });
    const down = queue.redrive({ client: failing('ServiceUnavailable') });
    await expect(down).rejects.toThrow('ServiceUnavailable');
    expect(await queue.redrive({ client: failing('InvalidMessageContents') })).toMatchObject({
      kept: 1,
      keptFor: { 'send-refused': 1 },
    });
    expect(await queue.redrive()).toMatchObject({ sent: 1, letters: [{ key: id, retried: false }] });
  });

  describe('A dead letter that the redrive policy moved', () => {
    test('is of the scope that is given, and runs again under its MessageId', async () => {
      const queue = await setupWithPolicy(fixture);
      const id = await queue.fail('1');
      expect(await queue.redrive()).toMatchObject({ ...NO_LETTERS, kept: 1, keptFor: { 'no-scope': 1 } });
      expect(await queue.redrive({ scope: queue.scope })).toMatchObject({ ...NO_LETTERS, sent: 1 });
      expect(await queue.handleAll()).toEqual([id]);
    });

    test.each([{ dryRun: true }, { dryRun: false }])(
      'is refused with a scope that no record has: %j',
      async ({ dryRun }) => {
        const queue = await setupWithPolicy(fixture);
        const id = await queue.fail('1');
        const refused = queue.redrive({ scope: `${queue.scope}x`, dryRun });
        await expect(refused).rejects.toThrow(InvalidOptionsError);
        await expect(refused).rejects.toThrow(
          `redriveQueue: scope: is "${queue.scope}x", but no record in schema`,
        );
        expect(await queue.size()).toEqual({ visible: 0, invisible: 0 });
        expect(await showRecord({ sql, scope: queue.scope, key: id })).toMatchObject({ phase: 'failed' });
        expect(await queue.letters()).toHaveLength(1);
      },
    );

    test.each<[string, (message: Message) => string | undefined]>([
      ['a business key', ({ Body }) => `order-${Body}`],
      ['a key of the time that it was sent', timeOrderedKey],
    ])('finds its record by the key of the consumer: %s', async (_, key) => {
      const queue = await setupWithPolicy(fixture, key);
      await queue.fail('1');
      expect(await queue.redrive({ scope: queue.scope, key })).toMatchObject({ ...NO_LETTERS, sent: 1 });
      expect(await queue.handleAll({ key })).toHaveLength(1);
      expect(await sql`select state, attempts from handle_once.records where scope = ${queue.scope}`).toEqual(
        [{ state: 'succeeded', attempts: 2 }],
      );
    });

    test('with ten attributes of its sender is kept, and its record stays failed', async () => {
      const queue = await setupWithPolicy(fixture);
      const id = await queue.fail('1', { attributes: attributes(10) });
      expect(await queue.redrive({ scope: queue.scope })).toMatchObject({
        ...NO_LETTERS,
        kept: 1,
        keptFor: { 'no-room': 1 },
      });
      expect(await showRecord({ sql, scope: queue.scope, key: id })).toMatchObject({ phase: 'failed' });
    });

    test('and whose copy fails again, without room for more than its identity, is found by that', async () => {
      const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
      const queue = await setupWithPolicy(fixture);
      const id = await queue.fail('1', { attributes: attributes(9) });
      expect(await queue.redrive({ scope: queue.scope })).toMatchObject({ ...NO_LETTERS, sent: 1 });
      const onFailed = { deadLetterQueueUrl: queue.deadLetters };
      await queue.handleAll({ onFailed, handler: terminal });
      expect(await queue.redrive()).toMatchObject({ ...NO_LETTERS, sent: 1 });
      expect(await queue.handleAll()).toEqual([id]);
      warn.mockRestore();
    });
  });
}
