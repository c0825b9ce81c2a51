import { fileURLToPath } from 'node:url';
import { TerminalError } from 'handle-once';
import { onceEachSqsMessage, redriveQueue } from 'handle-once/sqs';
import { expect, test } from 'vitest';
import { useFixture } from '../sqs/support/fixture.ts';
import { createQueue, drain, sqsEndpoint } from '../support/sqs.ts';
import { until } from '../support/until.ts';
import { redriveCrashPoints, type RedriveSettings } from './redrive/settings.ts';
import { runProcess } from './run-process.ts';

const fixture = useFixture('elasticmq');
const { client, sql, databaseUrl } = fixture;
const program = fileURLToPath(new URL('redrive/redrive.ts', import.meta.url));

const LETTERS = 3;

test.each(redriveCrashPoints)(
  'A redrive that is killed %s loses no dead letter, and the next one makes each run once',
  async (crashAt) => {
    const queue = await fixture.setup();
    const { queueUrl, handleOnce, scope } = queue;
    const deadLetterQueueUrl = await createQueue(client);
    const ids: string[] = [];
    const options = { client, queueUrl, handleOnce, onFailed: { deadLetterQueueUrl } };
    const handle = onceEachSqsMessage(options, () => {
      throw new TerminalError('no');
    });
    for (let n = 0; n < LETTERS; n += 1) {
      ids.push(await queue.send(String(n)));
      await handle(await queue.receive());
    }

    const ends = { from: deadLetterQueueUrl, to: queueUrl };
    const settings = {
      broker: 'sqs',
      servers: sqsEndpoint('elasticmq'),
      databaseUrl,
      ...ends,
      crashAt,
    } satisfies RedriveSettings;
    expect(await runProcess(program, settings).ended).toBe('SIGKILL');
    let done = 0;
    await until(async () => {
      // What the killed one had received is hidden for a second.
      const { sent, removed, kept } = await redriveQueue({ client, sql, ...ends });
      expect(kept).toBe(0);
      done += sent + removed;
      return done === (crashAt === 'after-remove' ? LETTERS - 1 : LETTERS);
    });
    expect(await drain(client, deadLetterQueueUrl)).toEqual([]);

    const runs: string[] = [];
    await queue.startWorker({ handler: (_, { key }) => void runs.push(key) });
    await queue.empty();
    expect(runs.sort()).toEqual(ids.sort());
    expect(await sql`select distinct state from handle_once.records where scope = ${scope}`).toEqual([
      { state: 'succeeded' },
    ]);
  },
);
