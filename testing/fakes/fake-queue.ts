import * as z from 'zod/mini';
import { InvalidOptionsError } from '../../src/words/errors.ts';
import { lazily } from '../../src/lib/lazily.ts';
import { NOT_AN_OBJECT, parseOptions, wholeNumber } from '../../src/options/parse-options.ts';
import { retryBudget } from '../../src/options/retry-budget.ts';
import { checkAdvance } from '../memory/memory.ts';
import { type CommandContext, COMMANDS } from './fake-queue-commands.ts';
import { createQueueMessages, type MessageAttributes } from './fake-queue-messages.ts';

/** Options of `createFakeQueue`. */
export interface FakeQueueOptions {
  /** Seconds that a message is invisible after a receive that does not say, 1 to 43,200. Default 60. */
  readonly visibilityTimeoutSeconds?: number | undefined;
  /** After how many receives a message becomes a dead letter, 1 to 1,000. Default 27, as `retryBudget()` gives. */
  readonly maxReceiveCount?: number | undefined;
}

/** A message that is in a fake queue, visible or not. */
export interface FakeQueueMessage {
  /** As receives give it. */
  readonly messageId: string;
  /** As it was sent. */
  readonly body: string;
  /** How often it has been received. */
  readonly receives: number;
  /** Whether the next receive gives it. */
  readonly isVisible: boolean;
}

/** A message that was sent to another queue, or received too often. */
export interface FakeDeadLetter {
  /** Where it went. Of one that was received too often: the URL of the queue and `-dead-letters`. */
  readonly queueUrl: string;
  /** Of the original. */
  readonly body: string;
  /** The texts of its message attributes. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** A command of `@aws-sdk/client-sqs`, as far as it says what its answer is. */
export interface FakeSqsCommand<Output extends object> {
  /** Its parameters. */
  readonly input: object;
  /** Of the SDK, and not called. */
  resolveMiddleware(...given: never[]): (...given: never[]) => Promise<{ readonly output: Output }>;
}

/** The part of an `SQSClient` that `handle-once/sqs` uses. */
export interface FakeSqsClient {
  /** Answers a command in the shape of SQS. */
  send<Output extends object>(command: FakeSqsCommand<Output>, ...more: readonly unknown[]): Promise<Output>;
  /** Does nothing. */
  destroy(): void;
}

/** A queue in memory. */
export interface FakeQueue<Client = FakeSqsClient> {
  /** For the option `queueUrl`. */
  readonly queueUrl: string;
  /** For the option `client`. It has `send` and `destroy`, whatever its type is. */
  readonly client: Client;
  /** Sends a message, and gives its `MessageId`. Throws `InvalidOptionsError` where body or attributes are no texts. */
  send(body: string, attributes?: Readonly<Record<string, string>>): string;
  /** What is in the queue now, in the order in which it was sent. */
  messages(): readonly FakeQueueMessage[];
  /** What has left it for another queue. */
  deadLetters(): readonly FakeDeadLetter[];
  /**
   * Moves its clock forward: messages become visible, long polls end. Throws `InvalidOptionsError` for what is not a
   * finite number of 0 or more.
   */
  advance(milliseconds: number): void;
  /**
   * Resolves when nothing is in the queue. A message that failed is in it until it goes elsewhere: without `onFailed`
   * that takes `maxReceiveCount` receives, each after its visibility timeout. Move the clock with `advance`, or look at
   * `messages()` in place of it.
   */
  emptied(): Promise<void>;
}

const SUBJECT = 'createFakeQueue';
const QUEUE_URL = 'https://sqs.example/000000000000/fake-queue';

const fakeQueueOptions = lazily(() =>
  z.strictObject(
    {
      visibilityTimeoutSeconds: z._default(wholeNumber('seconds', 1, 43_200), 60),
      maxReceiveCount: z._default(wholeNumber('receives', 1, 1_000), () => retryBudget().maxReceiveCount),
    },
    NOT_AN_OBJECT,
  ),
);

/**
 * A standard SQS queue in memory, to test the wiring of `createSqsWorker`, `onceEachSqsMessage` or your own loop
 * without a server. Its messages have the shape of the real ones. Its clock runs with real time, plus what `advance`
 * adds.
 *
 * It knows the commands for receives, sends, deletes, visibility and queue attributes, by the names of their classes;
 * other commands reject with `InvalidOptionsError`. All commands except sends reject the URL of another queue, as SQS
 * does. It has no FIFO order, no delays and no limits of size. Throws `InvalidOptionsError`.
 *
 * For code that needs a whole `SQSClient`, name that type: `createFakeQueue<SQSClient>()`.
 *
 * @example
 * ```ts
 * const queue = createFakeQueue();
 * const { client, queueUrl } = queue;
 * const worker = createSqsWorker({ client, queueUrl, handleOnce, schema: orderSchema }, (order) => ship(order));
 * queue.send('{"orderId":"order-7","cents":995}');
 * await worker.start();
 * await queue.emptied();
 * await worker.stop();
 * ```
 */
export function createFakeQueue<Client extends Record<'send', unknown> = FakeSqsClient>(
  options?: FakeQueueOptions,
): FakeQueue<Client>;
export function createFakeQueue(options: FakeQueueOptions = {}): FakeQueue {
  const given = parseOptions(SUBJECT, fakeQueueOptions(), options);
  const deadLetters: FakeDeadLetter[] = [];
  const bury = (queueUrl: string, body: string, attributes: MessageAttributes): void => {
    deadLetters.push({ queueUrl, body, attributes: textsOf(attributes) });
  };
  const settings = {
    ...given,
    onBuried: ({ body, attributes }: { readonly body: string; readonly attributes: MessageAttributes }) => {
      bury(`${QUEUE_URL}-dead-letters`, body, attributes);
    },
  };
  const messages = createQueueMessages(settings);
  const context: CommandContext = {
    ...settings,
    queueUrl: QUEUE_URL,
    messages,
    send(queueUrl, body, attributes) {
      if (queueUrl === QUEUE_URL) return messages.add(body, attributes).messageId;
      bury(queueUrl, body, attributes);
      return `${deadLetters.length}`;
    },
  };
  return {
    queueUrl: QUEUE_URL,
    client: { send: (command, more) => answer(context, command, more), destroy: () => undefined },
    send(body, attributes = {}) {
      checkMessage(body, attributes);
      return messages.add(body, attributesOf(attributes)).messageId;
    },
    messages: () =>
      messages.all().map((message) => {
        const { messageId, body, receives } = message;
        return { messageId, body, receives, isVisible: messages.isVisible(message) };
      }),
    deadLetters: () => [...deadLetters],
    advance(milliseconds) {
      checkAdvance(SUBJECT, milliseconds);
      messages.advance(milliseconds);
    },
    async emptied() {
      while (messages.all().length > 0) await messages.changed(Infinity);
    },
  };
}

async function answer(context: CommandContext, command: unknown, options: unknown): Promise<never> {
  const name = nameOfClass(command);
  const run = COMMANDS[name];
  if (run === undefined) {
    const known = Object.keys(COMMANDS).join(', ');
    const message = `must be one of ${known}; got ${name}`;
    throw new InvalidOptionsError('the client of createFakeQueue', [{ field: 'command', message }]);
  }
  const { input } = command as { readonly input: Parameters<typeof run>[1] };
  const { abortSignal } = (options ?? {}) as { readonly abortSignal?: AbortSignal };
  return (await run(context, input, abortSignal)) as never;
}

function nameOfClass(command: unknown): string {
  const { constructor } = (command ?? {}) as { readonly constructor?: { readonly name?: unknown } };
  const isNone = typeof command !== 'object' || command === null;
  return isNone || typeof constructor?.name !== 'string' ? 'no command' : constructor.name;
}

function checkMessage(body: unknown, attributes: unknown): void {
  const refuse = (field: string, message: string): never => {
    throw new InvalidOptionsError(SUBJECT, [{ field, message }]);
  };
  if (typeof body !== 'string') refuse('body', 'must be a string: turn an object into JSON');
  if (typeof attributes !== 'object' || attributes === null)
    return refuse('attributes', 'must be an object of strings');
  for (const [name, text] of Object.entries(attributes)) {
    if (typeof text !== 'string') refuse(`attributes.${name}`, 'must be a string');
  }
}

function attributesOf(texts: Readonly<Record<string, string>>): MessageAttributes {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, { DataType: 'String', StringValue: text }]),
  );
}

function textsOf(attributes: MessageAttributes): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { StringValue = '' }]) => [name, StringValue]),
  );
}
