import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type BatchResultErrorEntry,
  type Message,
  type SendMessageCommandInput,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { type Clock, coalesce, delay, endsWithin, retryWait } from '../../../src/adapter-kit.ts';
import { createAnswers } from './answers.ts';
import { CALL_TIMEOUT_MS, type CallOptions, inTime } from './in-time.ts';
import { isFifoQueue } from './queue-settings.ts';
import { queueName } from './queue-url.ts';

/** The part of an `SQSClient` that adapters use. */
export type SqsClient = Pick<SQSClient, 'send'>;

/** What the queue says of one entry of a batch call. */
export type EntryReply =
  | { readonly done: true }
  | { readonly done: false; readonly code: string; readonly retriable: boolean };

interface Entry {
  readonly key: string;
  readonly withinMs: number;
}

interface VisibilityEntry extends Entry {
  readonly timeoutSeconds: number;
}

export interface ReceiveRequest {
  readonly max: number;
  readonly waitTimeSeconds: number;
  readonly visibilityTimeoutSeconds: number;
  readonly signal: AbortSignal;
  /** Called when the client is done with the call, which can be after its bound. */
  readonly onEnded?: () => void;
}

/** The most entries that SQS takes in a batch, and gives in a receive. */
export const MAX_BATCH = 10;

/**
 * A call costs the queue, and its owner, the same for one entry as for ten: while one is under way, the next waits
 * until it is full. Measured: a busy worker deletes eight messages a call with this, six without. Full ones go at once,
 * however many are under way: with two at a time, messages lapsed while they waited for the round trips of others.
 */
const FULL_BATCHES = { maxBatch: MAX_BATCH, smallestBeside: MAX_BATCH, maxBatches: Infinity };

/** A call that takes longer is one that may hang: what is not full waits for it no more. */
const SLOW_CALL_MS = 1_000;

/** The reply of an entry, once its call has one. */
type Replied = () => Promise<EntryReply>;

const ENTRY_TRIES = 3;
const ENTRY_WAITS = { baseMs: 100, maxMs: 200 };

/** One queue, with the calls that adapters make. Entries are receipt handles; concurrent ones share a call. */
export function createQueue(client: SqsClient, queueUrl: string, clock: Clock) {
  const answers = createAnswers(clock);

  function batched<Request extends Entry>(
    call: (requests: readonly Request[], options: CallOptions) => Promise<BatchReply>,
  ) {
    return coalesce<Request, Replied>({
      ...FULL_BATCHES,
      send(requests) {
        const withinMs = Math.min(...requests.map((request) => request.withinMs));
        const reply = answers.follow(inTime(clock, (options) => call(requests, options), withinMs));
        return repliesOf(clock, requests.length, reply);
      },
    });
  }

  const remove = batched<Entry>((requests, options) => {
    const Entries = requests.map(({ key }, index) => ({ Id: String(index), ReceiptHandle: key }));
    return client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }), options);
  });
  const changeVisibility = batched<VisibilityEntry>((requests, options) => {
    const Entries = requests.map(({ key, timeoutSeconds }, index) => ({
      Id: String(index),
      ReceiptHandle: key,
      VisibilityTimeout: timeoutSeconds,
    }));
    return client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries }), options);
  });
  return {
    url: queueUrl,
    name: queueName(queueUrl),
    /** Whether it keeps the order of each message group. On a standard queue a group only says who sent. */
    isFifo: isFifoQueue(queueUrl),
    async receive({
      max,
      waitTimeSeconds,
      visibilityTimeoutSeconds,
      signal,
      onEnded,
    }: ReceiveRequest): Promise<readonly Message[]> {
      const command = new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: max,
        WaitTimeSeconds: waitTimeSeconds,
        VisibilityTimeout: visibilityTimeoutSeconds,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      });
      const receive = async (options: CallOptions) => {
        try {
          return await client.send(command, options);
        } finally {
          onEnded?.();
        }
      };
      const waitMs = waitTimeSeconds * 1_000;
      const { Messages } = await answers.follow(
        inTime(clock, receive, CALL_TIMEOUT_MS + waitMs, signal),
        waitMs,
      );
      return Messages ?? [];
    },
    /** The call is given up after 15 seconds, or `withinMs`, as is the one of `changeVisibility`. */
    delete: (key: string, withinMs = CALL_TIMEOUT_MS) => retryEntry(clock, () => remove({ key, withinMs })),
    changeVisibility: (key: string, timeoutSeconds: number, withinMs = CALL_TIMEOUT_MS) =>
      retryEntry(clock, () => changeVisibility({ key, timeoutSeconds, withinMs })),
    /** Its own, or those of another queue. */
    async attributes(ofUrl = queueUrl): Promise<Readonly<Partial<Record<string, string>>>> {
      const command = new GetQueueAttributesCommand({ QueueUrl: ofUrl, AttributeNames: ['All'] });
      const { Attributes } = await answers.follow(inTime(clock, (options) => client.send(command, options)));
      return Attributes ?? {};
    },
    /** Sends to another queue. */
    async send(input: SendMessageCommandInput): Promise<void> {
      await inTime(clock, (options) => client.send(new SendMessageCommand(input), options));
    },
    /** Whether its calls hang. */
    isSilent: () => answers.isSilent(),
  };
}

export type Queue = ReturnType<typeof createQueue>;

interface BatchReply {
  readonly Successful: readonly { readonly Id: string | undefined }[] | undefined;
  readonly Failed: readonly BatchResultErrorEntry[] | undefined;
}

/** Resolves when the call has a reply, or is slow: then each entry waits for its reply alone. */
async function repliesOf(clock: Clock, count: number, call: Promise<BatchReply>): Promise<Replied[]> {
  await endsWithin(call, SLOW_CALL_MS, clock);
  const replies = async () => entryReplies(await call);
  return Array.from(
    { length: count },
    (_, index) => async () => (await replies())[index] ?? NOT_IN_THE_REPLY,
  );
}

const NOT_IN_THE_REPLY: EntryReply = { done: false, code: 'missing from the reply', retriable: true };

/** A batch call succeeds as a whole even where entries fail. An entry is done only where the reply says so. */
function entryReplies({ Successful = [], Failed = [] }: BatchReply): EntryReply[] {
  const replies: EntryReply[] = [];
  for (const { Id } of Successful) replies[Number(Id)] = { done: true };
  for (const { Id, Code, SenderFault } of Failed) {
    replies[Number(Id)] = { done: false, code: Code ?? 'unknown', retriable: SenderFault !== true };
  }
  return replies;
}

async function retryEntry(clock: Clock, call: () => Promise<Replied>): Promise<EntryReply> {
  for (let tries = 1; ; tries += 1) {
    const replied = await call();
    const reply = await replied();
    if (reply.done || !reply.retriable || tries === ENTRY_TRIES) return reply;
    await delay(clock, retryWait(ENTRY_WAITS, tries));
  }
}

export type Attempted = { readonly done: true } | { readonly done: false; readonly error: unknown };

/** A call for one entry, with what the queue refused and what the client threw as one. */
export async function attempt(call: Promise<EntryReply>): Promise<Attempted> {
  try {
    const reply = await call;
    return reply.done
      ? reply
      : { done: false, error: new Error(`the queue refused the entry: ${reply.code}`) };
  } catch (error) {
    return { done: false, error };
  }
}
