import { type Message, type MessageAttributeValue, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { TerminalError } from 'handle-once';
import {
  onceEachSqsMessage,
  type RedrivenQueueDeadLetter,
  redriveQueue,
  type RedriveQueueOptions,
  type RedriveReport,
} from 'handle-once/sqs';
import type { SqsClient } from '../../../adapters/shared/sqs/queue.ts';
import { createQueue, drain, type QueueOptions } from '../../support/sqs.ts';
import type { Fixture, Sent, Setup } from './fixture.ts';
import { interposedClient, sdkError } from './interposed-client.ts';

type WorkerOptions = Parameters<Setup['startWorker']>[0];

/** A queue with its dead letters. */
export interface Failing extends Setup {
  readonly deadLetters: string;
  /** Sends a message that fails permanently, and lets it get to the dead letters. Gives its `MessageId`. */
  fail(body: string, sent?: Sent): Promise<string>;
  redrive(
    options?: Partial<RedriveQueueOptions>,
  ): Promise<RedriveReport & { letters: RedrivenQueueDeadLetter[] }>;
  letters(): Promise<Message[]>;
  /** Lets a worker handle what is in the queue, and gives the keys of its handlers' attempts. */
  handleAll(options?: Partial<WorkerOptions>): Promise<string[]>;
}

/** What a redrive reports that finds no dead letter. */
export const NO_LETTERS: RedriveReport = {
  ...{ state: 'finished', dryRun: false, sent: 0, removed: 0, kept: 0, keptFor: {} },
};

export function terminal(): never {
  throw new TerminalError('no');
}

export function text(value: string): MessageAttributeValue {
  return { DataType: 'String', StringValue: value };
}

/** Attributes of a sender that leave no room for others, or little. */
export function attributes(count: number): Record<string, MessageAttributeValue> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`Own${n}`, text(String(n))]));
}

/** A queue whose failed messages are copied to its dead letters. */
export async function setupFailing(fixture: Fixture, options: QueueOptions = {}): Promise<Failing> {
  const { client } = fixture;
  const deadLetters = await createQueue(client, { fifo: options.fifo === true });
  const queue = await fixture.setup(options);
  const { queueUrl, handleOnce } = queue;
  const onFailed = { deadLetterQueueUrl: deadLetters };
  const handle = onceEachSqsMessage({ client, queueUrl, handleOnce, onFailed }, terminal);
  return {
    ...withRedrive(fixture, queue, deadLetters),
    async fail(body, sent) {
      const id = await queue.send(body, sent);
      await handle(await queue.receive());
      return id;
    },
  };
}

/** A queue whose failed messages stay, until its own redrive policy moves them. */
export async function setupWithPolicy(
  fixture: Fixture,
  key?: (message: Message) => string | undefined,
): Promise<Failing> {
  const deadLetters = await createQueue(fixture.client);
  const redrive = { deadLetterQueueUrl: deadLetters, maxReceiveCount: 1 };
  const queue = await fixture.setup(
    { redrive, visibilityTimeoutSeconds: 1 },
    { leaseMs: 600, maxAttempts: 1 },
  );
  const failing = withRedrive(fixture, queue, deadLetters);
  return {
    ...failing,
    async fail(body, sent) {
      const id = await queue.send(body, sent);
      await failing.handleAll({ onFailed: 'keep', handler: terminal, key });
      return id;
    },
  };
}

function withRedrive({ client, sql }: Fixture, queue: Setup, deadLetters: string): Omit<Failing, 'fail'> {
  return {
    ...queue,
    deadLetters,
    async redrive({ client: ownClient = client, ...given } = {}) {
      const letters: RedrivenQueueDeadLetter[] = [];
      const onDeadLetter = (letter: RedrivenQueueDeadLetter): void => {
        letters.push(letter);
      };
      const ends = { from: deadLetters, to: queue.queueUrl };
      const report = await redriveQueue({
        client: shortPolls(ownClient),
        sql,
        ...ends,
        onDeadLetter,
        ...given,
      });
      return { ...report, letters };
    },
    letters: () => drain(client, deadLetters),
    async handleAll(given) {
      const keys: string[] = [];
      const worker = await queue.startWorker({
        handler: (_, { key }) => {
          keys.push(key);
        },
        ...given,
      });
      await queue.empty();
      await worker.stop();
      return keys;
    },
  };
}

/** The servers of the tests show at once all that they have. */
function shortPolls(client: SqsClient): SqsClient {
  const send = (command: object, ...rest: []): unknown => {
    const { input } = command as ReceiveMessageCommand;
    const isPoll = command instanceof ReceiveMessageCommand;
    const sent = isPoll ? new ReceiveMessageCommand({ ...input, WaitTimeSeconds: 0 }) : command;
    return client.send(sent as never, ...rest);
  };
  return { send: send as SqsClient['send'] };
}

/** A client that can send, and not delete. */
export function deleteFails({ client }: Fixture): SqsClient {
  return interposedClient(client, ({ verb }, forward) => {
    if (verb === 'DeleteMessageBatch') throw sdkError('ServiceUnavailable');
    return forward();
  });
}
