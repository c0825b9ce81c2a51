import { type Message, SendMessageCommand } from '@aws-sdk/client-sqs';
import { InvalidOptionsError } from 'handle-once';
import { showRecord } from 'handle-once/operations';
import type { RedriveQueueOptions } from 'handle-once/sqs';
import { expect, test, vi } from 'vitest';
import { drain } from '../../support/sqs.ts';
import { receiveNow } from '../../support/sqs-receive.ts';
import { deleteFails, NO_LETTERS, setupFailing, terminal, text } from '../support/failing.ts';
import type { Fixture } from '../support/fixture.ts';

/** How dead letters get back to their source. */
export function redriveSuite(fixture: Fixture): void {
  const { client, sql } = fixture;

  test('a dead letter runs again under its key, with what its sender wrote', async () => {
    const queue = await setupFailing(fixture);
    const id = await queue.fail('{"order":1}', { attributes: { Tenant: text('acme') } });

    const { letters, ...report } = await queue.redrive();

    expect(report).toEqual({ ...NO_LETTERS, sent: 1 });
    expect(letters).toEqual([
      { messageId: expect.any(String) as string, scope: queue.scope, key: id, state: 'sent', retried: true },
    ]);
    expect(await queue.letters()).toEqual([]);
    const seen: Message[] = [];
    const handler = vi.fn((_: unknown, { message }: { message: Message }) => {
      seen.push(message);
    });
    await queue.handleAll({ handler });
    expect(handler).toHaveBeenCalledExactlyOnceWith(
      { order: 1 },
      expect.objectContaining({ key: id, number: 2 }),
    );
    expect(Object.keys(seen[0]?.MessageAttributes ?? {}).sort()).toEqual(['HandleOnceIdentity', 'Tenant']);
    expect(await showRecord({ sql, scope: queue.scope, key: id })).toMatchObject({ phase: 'succeeded' });
  });

  test('a dry run says what it would do, changes nothing, and hides nothing', async () => {
    const queue = await setupFailing(fixture);
    const id = await queue.fail('1');
    expect(await queue.redrive({ dryRun: true })).toMatchObject({
      ...{ ...NO_LETTERS, dryRun: true, sent: 1 },
      letters: [{ key: id, state: 'sent', retried: true }],
    });
    expect(await receiveNow(client, queue.deadLetters, 10)).toHaveLength(1);
    expect(await queue.size()).toEqual({ visible: 0, invisible: 0 });
    expect(await showRecord({ sql, scope: queue.scope, key: id })).toMatchObject({ phase: 'failed' });
  });

  test('a dead letter whose message has succeeded meanwhile is removed, and nothing is sent', async () => {
    const queue = await setupFailing(fixture);
    const id = await queue.fail('1');
    await sql`update handle_once.records set state = 'succeeded', failed_reason = null, attempts = attempts + 1 where scope = ${queue.scope}`;
    expect(await queue.redrive()).toMatchObject({
      sent: 0,
      removed: 1,
      letters: [{ key: id, state: 'removed' }],
    });
    expect(await queue.letters()).toEqual([]);
    expect(await queue.size()).toEqual({ visible: 0, invisible: 0 });
  });

  test('two copies of one dead letter, of which the first was not deleted, are one message', async () => {
    const queue = await setupFailing(fixture);
    const id = await queue.fail('1');
    await expect(queue.redrive({ client: deleteFails(fixture) })).rejects.toThrow('ServiceUnavailable');
    expect(await queue.redrive()).toMatchObject({ letters: [{ key: id, state: 'sent', retried: false }] });
    expect(await queue.size()).toMatchObject({ visible: 2 });
    expect(await queue.handleAll()).toEqual([id]);
    expect(queue.eventsOf('acknowledged')).toHaveLength(2);
  });

  test('a dead letter that another reader holds is not seen, and the run says that it is there', async () => {
    const redriven = async (dryRun: boolean): Promise<void> => {
      const queue = await setupFailing(fixture);
      const [held, other] = [await queue.fail('1'), await queue.fail('2')];
      const [received] = await receiveNow(client, queue.deadLetters, 1);
      const key = received?.Body === '1' ? other : held;
      expect(await queue.redrive({ dryRun })).toMatchObject({
        ...{ state: 'blocked', sent: 1, kept: 0, letters: [{ key }] },
      });
    };
    await Promise.all([redriven(true), redriven(false)]);
  });

  test('in a FIFO queue it says that a group is there of which another reader holds one', async () => {
    const redriven = async (dryRun: boolean): Promise<void> => {
      const queue = await setupFailing(fixture, { fifo: true });
      for (const body of ['1', '2', '3']) await queue.fail(body, { group: 'customer-7' });
      await receiveNow(client, queue.deadLetters, 1);
      expect(await queue.redrive({ dryRun })).toMatchObject({
        ...{ state: 'blocked', sent: 0, kept: 0, letters: [] },
      });
    };
    await Promise.all([redriven(true), redriven(false)]);
  });

  test('what fails again has the identity of the original in its next dead letter, and the one after that', async () => {
    const queue = await setupFailing(fixture);
    const id = await queue.fail('1');
    const onFailed = { deadLetterQueueUrl: queue.deadLetters };
    for (let round = 0; round < 2; round += 1) {
      expect((await queue.redrive()).letters).toMatchObject([{ scope: queue.scope, key: id, state: 'sent' }]);
      await queue.handleAll({ onFailed, handler: terminal });
    }
    await queue.redrive();
    expect(await queue.handleAll()).toEqual([id]);
    expect(
      await sql`select key, state, attempts from handle_once.records where scope = ${queue.scope}`,
    ).toEqual([{ key: id, state: 'succeeded', attempts: 4 }]);
  });

  test('limit and filter choose, and the next call goes on', async () => {
    const queue = await setupFailing(fixture);
    const ids = [await queue.fail('1'), await queue.fail('2'), await queue.fail('3')];
    const [wanted = ''] = ids;
    const filter: RedriveQueueOptions['filter'] = ({ key, messageId, message }) =>
      key === wanted && message.MessageId === messageId;
    expect(await queue.redrive({ filter })).toMatchObject({ sent: 1, kept: 2, keptFor: { filtered: 2 } });
    expect(await queue.redrive({ limit: 1 })).toMatchObject({ state: 'stopped', sent: 1, kept: 0 });
    expect(await queue.redrive({ perSecond: 1_000 })).toMatchObject({ state: 'finished', sent: 1 });
    expect((await queue.handleAll()).sort()).toEqual(ids.sort());
  });

  test('a signal ends it after the current dead letter, and the others are visible', async () => {
    const queue = await setupFailing(fixture);
    await queue.fail('1');
    await queue.fail('2');
    const stop = new AbortController();
    const onDeadLetter = (): void => {
      stop.abort();
    };
    expect(await queue.redrive({ signal: stop.signal, onDeadLetter })).toMatchObject({
      state: 'stopped',
      sent: 1,
    });
    expect(await queue.letters()).toHaveLength(1);
  });

  test('a filter that returns a promise ends it before anything is sent', async () => {
    const queue = await setupFailing(fixture);
    await queue.fail('1');
    const filter = (() => Promise.resolve(false)) as unknown as () => boolean;
    await expect(queue.redrive({ filter })).rejects.toThrow(
      /redriveQueue: filter: must return true or false at once, but returned a promise/,
    );
    expect(await queue.letters()).toHaveLength(1);
  });

  test('in a FIFO queue it keeps its group, and is one message however often it is sent', async () => {
    const queue = await setupFailing(fixture, { fifo: true });
    const id = await queue.fail('1', { group: 'customer-7' });
    await expect(queue.redrive({ client: deleteFails(fixture) })).rejects.toThrow('ServiceUnavailable');
    expect(await queue.redrive()).toMatchObject({ sent: 1, letters: [{ retried: false }] });
    const [copy, ...others] = await drain(client, queue.queueUrl);
    expect(others).toEqual([]);
    expect(copy).toMatchObject({ Attributes: { MessageGroupId: 'customer-7' } });
    expect(copy?.MessageAttributes?.['HandleOnceIdentity']?.StringValue).toBe(
      JSON.stringify({ scope: queue.scope, key: id }),
    );
  });

  test('in a FIFO queue it reads on behind kept ones of a group', async () => {
    const queue = await setupFailing(fixture, { fifo: true });
    const group = 'customer-7';
    await queue.fail('1', { group });
    await sql`
        update handle_once.records
        set state = 'pending', owned = true, failed_reason = null, live_until = now() + interval '1 minute'
        where scope = ${queue.scope}`;
    for (let n = 0; n < 11; n += 1) await queue.fail('2', { group });
    expect(await queue.redrive()).toMatchObject({
      ...NO_LETTERS,
      sent: 11,
      kept: 1,
      keptFor: { running: 1 },
    });
    expect(await queue.letters()).toHaveLength(1);
  });

  test('a queue that does not exist is refused before a record is touched', async () => {
    const queue = await setupFailing(fixture);
    const id = await queue.fail('1');
    for (const field of ['from', 'to']) {
      const missing = { [field]: `${queue.queueUrl}-missing` };
      const refused: unknown = await queue.redrive(missing).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(InvalidOptionsError);
      expect((refused as InvalidOptionsError).issues).toMatchObject([{ field }]);
    }
    expect(await showRecord({ sql, scope: queue.scope, key: id })).toMatchObject({ phase: 'failed' });
  });

  test('a copy of another scope, or with an identity that is none, is a message of its own', async () => {
    const queue = await setupFailing(fixture);
    const ids: string[] = [];
    for (const identity of [JSON.stringify({ scope: 'mail', key: 'k' }), '{', '{"scope":1}']) {
      const { MessageId = '' } = await client.send(
        new SendMessageCommand({
          QueueUrl: queue.queueUrl,
          MessageBody: '1',
          MessageAttributes: { HandleOnceIdentity: text(identity) },
        }),
      );
      ids.push(MessageId);
    }
    expect((await queue.handleAll()).sort()).toEqual(ids.sort());
  });
}
