import { createRequire } from 'node:module';
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { TerminalError } from 'handle-once';
import { onceEachSqsMessage } from 'handle-once/sqs';
import { describe, expect, test } from 'vitest';
import { redriveAnswer } from '../../adapters/cli/redrive-answer.ts';
import { type Setup, useFixture } from '../sqs/support/fixture.ts';
import { kafkaBrokers, useKafka } from '../support/kafka.ts';
import { createQueue, sqsEndpoint } from '../support/sqs.ts';
import { callCommand } from './call-command.ts';
import { configFile, type Ended, useCommand } from './run-command.ts';

const fixture = useFixture('elasticmq');
const { client, databaseUrl } = fixture;
const kafka = useKafka();
const require = createRequire(import.meta.url);

/** What the SDK makes a client from. */
const SDK_ENVIRONMENT = {
  ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
  AWS_ENDPOINT_URL_SQS: sqsEndpoint('elasticmq'),
};

const ENV = { ...SDK_ENVIRONMENT, DATABASE_URL: databaseUrl };
const start = useCommand(databaseUrl);

function redrive(...args: string[]): Promise<Ended> {
  return callCommand(['redrive', ...args], ENV);
}

/** As a process, as users do. */
function run(...args: string[]): Promise<Ended> {
  return start(['redrive', ...args].join(' '), ENV).ended;
}

/** A module with clients for the services of this run. */
async function config(): Promise<string> {
  const from = (name: string) => JSON.stringify(require.resolve(name));
  return configFile(
    `import sdk from ${from('@aws-sdk/client-sqs')};
     import kafkajs from ${from('kafkajs')};
     export const sqs = new sdk.SQSClient({
       endpoint: ${JSON.stringify(sqsEndpoint('elasticmq'))},
       region: 'us-east-1',
       credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
       useQueueUrlAsEndpoint: false,
     });
     export const kafka = new kafkajs.Kafka({ brokers: ${JSON.stringify(kafkaBrokers())} });`,
  );
}

async function failed(queue: Setup, deadLetterQueueUrl: string, body: string): Promise<string> {
  const { queueUrl, handleOnce } = queue;
  const id = await queue.send(body);
  await onceEachSqsMessage({ client, queueUrl, handleOnce, onFailed: { deadLetterQueueUrl } }, () => {
    throw new TerminalError('no');
  })(await queue.receive());
  return id;
}

test('redrive says what it would do, does it, and prints no payload', async () => {
  const queue = await fixture.setup();
  const deadLetters = await createQueue(client);
  const ids = [await failed(queue, deadLetters, '"card-4111-1111"'), await failed(queue, deadLetters, '2')];
  const args = ['--from', deadLetters, '--to', queue.queueUrl, '--config', await config()];

  const planned = await redrive(...args, '--dry-run');
  // On a machine that is slow it says how far it is.
  const progress = /^(?:\d+ would be sent, \d+ would be removed, \d+ kept\n)*$/;
  expect(planned).toMatchObject({ code: 0, stderr: expect.stringMatching(progress) as string });
  expect(planned.stdout).toMatch(/^deadLetter +scope +key +state +reason\n/);
  expect(planned.stdout.match(/ would be sent *$/gm)).toHaveLength(2);
  expect(planned.stdout).toMatch(/\n\ndry run: 2 would be sent, 0 would be removed, 0 kept\n$/);
  for (const id of ids) expect(planned.stdout).toContain(id);
  expect(await queue.size()).toEqual({ visible: 0, invisible: 0 });

  const one = await redrive(
    ...args,
    '--key',
    ids[0] ?? '',
    'other',
    '--limit',
    '1',
    '--per-second',
    '5',
    '--json',
  );
  expect(JSON.parse(one.stdout)).toMatchObject({
    ...{ state: 'stopped', dryRun: false, sent: 1, removed: 0 },
    deadLetters: expect.arrayContaining([
      {
        messageId: expect.any(String) as string,
        scope: queue.scope,
        key: ids[0],
        state: 'sent',
        retried: true,
      },
    ]) as object,
  });
  expect(await redrive(...args, '--scope', 'mail')).toMatchObject({
    code: 3,
    stdout: expect.stringMatching(/0 sent, 0 removed, 1 kept \(1 other-scope\)\n$/) as string,
  });
  expect((await redrive(...args, '--scope', queue.scope)).stdout).toMatch(/\n\n1 sent, 0 removed, 0 kept\n$/);
  const none = await redrive(...args);
  expect(none).toEqual({ code: 0, stderr: '', stdout: '0 sent, 0 removed, 0 kept\n' });
  for (const { stdout } of [planned, one]) expect(stdout).not.toContain('card-4111');
  expect(await queue.size()).toEqual({ visible: 2, invisible: 0 });
});

test('redrive says that dead letters are left which another reader has', async () => {
  const queue = await fixture.setup();
  const deadLetters = await createQueue(client);
  await client.send(new SendMessageCommand({ QueueUrl: deadLetters, MessageBody: '1' }));
  await client.send(new ReceiveMessageCommand({ QueueUrl: deadLetters, VisibilityTimeout: 60 }));
  const args = ['--from', deadLetters, '--to', queue.queueUrl, '--config', await config()];
  expect(await redrive(...args)).toEqual({
    ...{ code: 3, stderr: '' },
    stdout:
      '0 sent, 0 removed, 0 kept; blocked: there are others that it cannot get now; run it again later\n',
  });
});

test('redrive refuses a scope that no record has, where the dead letters name none', async () => {
  const queue = await fixture.setup();
  const deadLetters = await createQueue(client);
  await client.send(new SendMessageCommand({ QueueUrl: deadLetters, MessageBody: '1' }));
  const args = ['--from', deadLetters, '--to', queue.queueUrl, '--config', await config()];
  for (const dryRun of [['--dry-run'], []]) {
    const refused = await redrive(...args, '--scope', 'biling', ...dryRun);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(
      /^handle-once: --scope is "biling", but no record in schema handle_once has .* handle-once status.*\n$/,
    );
  }
  await queue.handleOnce('any', 'body', () => 1);
  expect(await redrive(...args, '--scope', queue.scope)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/\n1 sent, 0 removed, 0 kept\n$/) as string,
  });
});

test('redrive makes a client of its own from the environment of the SDK', async () => {
  // A queue's URL can name a host that only the server itself knows.
  const reachable = (queueUrl: string) => new URL(new URL(queueUrl).pathname, sqsEndpoint('elasticmq')).href;
  const queue = await fixture.setup();
  const deadLetters = await createQueue(client);
  await failed(queue, deadLetters, '1');
  const ended = await run('--from', reachable(deadLetters), '--to', reachable(queue.queueUrl));
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/\n1 sent, 0/) as string });
});

test('redrive reads a topic by the kafka of the config, and prints the answer alone', async () => {
  const topic = await kafka.createTopic();
  await kafka.produce(topic, [{ value: 'no dead letter of ours' }]);
  const { code, stdout, stderr } = await run('--from', topic, '--json', '--config', await config());
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({ sent: 0, removed: 0, kept: 1 });
  // What kafkajs logs by default.
  expect(stderr).toContain('Consumer has joined the group');
});

test('redrive says what SQS needs that gives no answer', async () => {
  const at = (name: string) => `http://127.0.0.1:1/000000000000/${name}`;
  const { code, stdout, stderr } = await redrive('--from', at('dead'), '--to', at('orders'));
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(
    /^handle-once: the redrive stopped \(.+\): where SQS is the cause, set AWS_REGION .* sqs.*$/m,
  );
});

test.each([
  ['AccessDenied', /AccessDenied: no\): allow sqs:ReceiveMessage.* sqs:SendMessage on --to/],
  ['TimeoutError', /TimeoutError: no\): check that SQS can be reached; the next call continues from there/],
])('redrive that an error ends half way prints its report, and what to do: %s', async (name, message) => {
  const queue = await fixture.setup();
  const deadLetters = await createQueue(client);
  await failed(queue, deadLetters, '1');
  await failed(queue, deadLetters, '2');
  const failing = await configFile(
    `import { sqs as real } from ${JSON.stringify(await config())};
     let sends = 0;
     export const sqs = { send: (command, options) =>
       command.constructor.name === 'SendMessageCommand' && (sends += 1) > 1
         ? Promise.reject(Object.assign(new Error('no'), { name: '${name}' }))
         : real.send(command, options) };`,
  );
  const args = ['--from', deadLetters, '--to', queue.queueUrl, '--json', '--config', failing];
  const ended = await redrive(...args);
  expect(ended.code).toBe(1);
  expect(JSON.parse(ended.stdout)).toMatchObject({
    state: 'failed',
    sent: 1,
    removed: 0,
    kept: 0,
    keptFor: {},
  });
  expect(ended.stderr).toMatch(message);
  expect(ended.stderr).not.toContain('AWS_REGION');
});

test('redrive names the topic whose brokers are out of reach', async () => {
  const path = await configFile(
    `import kafkajs from ${JSON.stringify(require.resolve('kafkajs'))};
     export const kafka = new kafkajs.Kafka({ brokers: ['127.0.0.1:1'], retry: { retries: 0 }, logLevel: 0 });`,
  );
  const { code, stdout, stderr } = await redrive('--from', 'orders-failed', '--config', path);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(
    /^handle-once: the redrive of topic orders-failed stopped \(.+\): check that the brokers/,
  );
});

test.each([true, false])(
  'redrive says what to do with ambiguous dead letters of a topic alone (%s)',
  (isOfTopic) => {
    const report = {
      state: 'finished',
      dryRun: false,
      sent: 0,
      removed: 0,
      kept: 1,
      keptFor: { ambiguous: 1 },
    } as const;
    const { text } = redriveAnswer(report, [], isOfTopic);
    expect(text.includes('--send-unrecorded sends these')).toBe(isOfTopic);
  },
);

describe('Where it cannot work', () => {
  const queueUrl = 'http://127.0.0.1:1/000000000000/orders';
  test.each<[string, string[], RegExp]>([
    ['no source is named', [], /--from/],
    ['no target is named', ['--from', queueUrl], /--to is missing: the URL of the queue/],
    ['a topic has no kafka', ['--from', 'orders-failed'], /needs a --config that exports kafka/],
    ['both are one queue', ['--from', queueUrl, '--to', queueUrl], /--to must be another queue than from/],
    [
      'an option is for topics',
      ['--from', queueUrl, '--to', `${queueUrl}-2`, '--send-unrecorded'],
      /--send-unrecorded is only for a topic/,
    ],
    [
      'the rate is none',
      ['--from', queueUrl, '--to', `${queueUrl}-2`, '--per-second', '0'],
      /--per-second must be a whole number of dead letters from 1/,
    ],
  ])('since %s, it says so in one line', async (_, args, message) => {
    const ended = await redrive(...args);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(message);
    expect(ended.stderr.trim().split('\n')).toHaveLength(1);
  });
});
