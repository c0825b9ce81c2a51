import type { Enqueued, MessageAttributes, QueueMessages, QueueSettings } from './fake-queue-messages.ts';

/** The input of a command, as far as one of them reads it. */
interface Input {
  readonly QueueUrl?: string;
  readonly MessageBody?: string;
  readonly MessageAttributes?: MessageAttributes;
  readonly MaxNumberOfMessages?: number;
  readonly VisibilityTimeout?: number;
  readonly WaitTimeSeconds?: number;
  readonly ReceiptHandle?: string;
  readonly Entries?: readonly Entry[];
}

interface Entry extends Input {
  readonly Id?: string;
}

/** What answers the commands of one queue. */
export interface CommandContext extends QueueSettings {
  readonly queueUrl: string;
  readonly messages: QueueMessages;
  /** Sends to the queue of this URL: this one or another. */
  readonly send: (queueUrl: string, body: string, attributes: MessageAttributes) => string;
}

type Command = (context: CommandContext, input: Input, signal?: AbortSignal) => unknown;

/** By the name of the command's class in `@aws-sdk/client-sqs`. */
export const COMMANDS: Readonly<Partial<Record<string, Command>>> = {
  ReceiveMessageCommand: ofThisQueue(receive),
  SendMessageCommand: ({ send }, input) => ({ MessageId: sendOne(send, input, input) }),
  SendMessageBatchCommand: ({ send }, input) =>
    perEntry(input, (entry) => ({ MessageId: sendOne(send, input, entry) })),
  DeleteMessageCommand: ofThisQueue(deleteOne),
  DeleteMessageBatchCommand: ofThisQueue((context, input) =>
    perEntry(input, (entry) => deleteOne(context, entry)),
  ),
  ChangeMessageVisibilityCommand: ofThisQueue(changeVisibility),
  ChangeMessageVisibilityBatchCommand: ofThisQueue((context, input) =>
    perEntry(input, (entry) => changeVisibility(context, entry)),
  ),
  /** Dead letters can go to any other queue. */
  GetQueueAttributesCommand: (context, { QueueUrl }) => {
    requireText('QueueUrl', QueueUrl);
    return { Attributes: QueueUrl === context.queueUrl ? attributesOf(context) : {} };
  },
};

function attributesOf({ visibilityTimeoutSeconds, maxReceiveCount, messages }: CommandContext) {
  const visible = messages.all().filter((message) => messages.isVisible(message));
  return {
    VisibilityTimeout: String(visibilityTimeoutSeconds),
    RedrivePolicy: JSON.stringify({ maxReceiveCount }),
    ApproximateNumberOfMessages: String(visible.length),
  };
}

function ofThisQueue(command: Command): Command {
  return (context, input, signal) => {
    const { QueueUrl } = input;
    requireText('QueueUrl', QueueUrl);
    if (QueueUrl !== context.queueUrl) {
      throw refusal(
        'QueueDoesNotExist',
        'The specified queue does not exist: use queueUrl of the fake queue.',
      );
    }
    return command(context, input, signal);
  };
}

function requireText(parameter: string, value: unknown): void {
  if (typeof value === 'string' && value !== '') return;
  throw refusal('MissingParameter', `The request must contain the parameter ${parameter}.`);
}

async function receive(
  { messages }: CommandContext,
  { MaxNumberOfMessages = 1, VisibilityTimeout, WaitTimeSeconds = 0 }: Input,
  signal?: AbortSignal,
): Promise<object> {
  const until = messages.now() + WaitTimeSeconds * 1_000;
  for (;;) {
    if (signal?.aborted === true) throw refusal('AbortError', 'Request aborted');
    const taken = messages.take(MaxNumberOfMessages, VisibilityTimeout);
    if (taken.length > 0) return { Messages: taken.map(toMessage) };
    const leftMs = until - messages.now();
    if (leftMs <= 0) return {};
    await messages.changed(leftMs, signal);
  }
}

/** As ReceiveMessage gives it. */
function toMessage(message: Enqueued): object {
  const { messageId, receiptHandle, body, attributes, receives, sentAt, firstReceivedAt } = message;
  return {
    MessageId: messageId,
    ReceiptHandle: receiptHandle,
    Body: body,
    Attributes: {
      SenderId: 'handle-once-testing',
      SentTimestamp: String(sentAt),
      ApproximateReceiveCount: String(receives),
      ApproximateFirstReceiveTimestamp: String(firstReceivedAt),
    },
    ...(Object.keys(attributes).length === 0 ? {} : { MessageAttributes: attributes }),
  };
}

function sendOne(
  send: CommandContext['send'],
  { QueueUrl = '' }: Input,
  { MessageBody = '', MessageAttributes = {} }: Input,
): string {
  requireText('QueueUrl', QueueUrl);
  requireText('MessageBody', MessageBody);
  return send(QueueUrl, MessageBody, MessageAttributes);
}

/** With an older receipt handle SQS says that it has deleted the message, and keeps it. */
function deleteOne({ messages }: CommandContext, { ReceiptHandle }: Input): object {
  requireText('ReceiptHandle', ReceiptHandle);
  const message = messages.heldBy(ReceiptHandle);
  if (message !== undefined) messages.remove(message);
  return {};
}

function changeVisibility(
  { messages }: CommandContext,
  { ReceiptHandle, VisibilityTimeout = 0 }: Input,
): object {
  requireText('ReceiptHandle', ReceiptHandle);
  const message = messages.heldBy(ReceiptHandle);
  if (message === undefined || messages.isVisible(message)) {
    throw refusal('MessageNotInflight', 'the message is not in flight');
  }
  messages.hide(message, VisibilityTimeout);
  return {};
}

function perEntry({ Entries = [] }: Input, run: (entry: Entry) => object): object {
  const Successful: object[] = [];
  const Failed: object[] = [];
  for (const entry of Entries) {
    const { Id } = entry;
    try {
      Successful.push({ Id, ...run(entry) });
    } catch (error) {
      const { name, message } = error as Error;
      Failed.push({ Id, Code: name, Message: message, SenderFault: true });
    }
  }
  return { Successful, Failed };
}

/** In the shape in which the SDK has what SQS refuses. */
function refusal(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}
