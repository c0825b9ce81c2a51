import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs';
import type { SqsMessage } from '../../../adapters/sqs/index.ts';
import type { SqsClient } from '../../../adapters/shared/sqs/queue.ts';
import type { Clock, Timer } from '../../../src/lib/clock.ts';
import { delay, endsWithin } from '../../../src/lib/wait.ts';

/** What `Consumer.create` of sqs-consumer gets, as far as the model knows it. Either handler is there. */
export interface ConsumerOptions {
  readonly queueUrl: string;
  readonly sqs: SqsClient;
  readonly batchSize?: number;
  readonly waitTimeSeconds: number;
  readonly pollingWaitTimeMs: number;
  readonly visibilityTimeout: number;
  readonly heartbeatInterval: number;
  readonly handleMessage?: (message: SqsMessage) => Promise<SqsMessage>;
  readonly handleMessageBatch?: (messages: SqsMessage[]) => Promise<SqsMessage[]>;
}

/** What a stop waits for the last poll, once it is aborted. */
const LAST_POLL_MS = 5_000;

/**
 * The consumer of sqs-consumer 14, as its source has it: one receive after the other, the next only when all that came
 * is handled; heartbeats on a timer until a message is deleted; a delete for what its handler returns. It needs a model
 * since it has timers of its own.
 */
export class ConsumerModel {
  readonly abortController = new AbortController();
  readonly #options: ConsumerOptions;
  readonly #clock: Clock;
  #isStopped = false;
  #polling: Promise<void> = Promise.resolve();

  constructor(options: ConsumerOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  start(): void {
    this.#polling = this.#poll();
  }

  /** Waits for what is under way, and aborts it after that time. */
  async stop(drainMs: number): Promise<void> {
    this.#isStopped = true;
    if (await endsWithin(this.#polling, drainMs, this.#clock)) return;
    this.abortController.abort();
    await endsWithin(this.#polling, LAST_POLL_MS, this.#clock);
  }

  async #poll(): Promise<void> {
    while (!this.#isStopped) {
      await ignoringErrors(() => this.#receive());
      await delay(this.#clock, this.#options.pollingWaitTimeMs);
    }
  }

  async #receive(): Promise<void> {
    const { queueUrl, batchSize = 1, waitTimeSeconds, visibilityTimeout, handleMessageBatch } = this.#options;
    const command = new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: batchSize,
      WaitTimeSeconds: waitTimeSeconds,
      VisibilityTimeout: visibilityTimeout,
    });
    const { Messages = [] } = (await this.#send(command)) as { readonly Messages?: SqsMessage[] };
    if (Messages.length === 0) return;
    if (handleMessageBatch !== undefined) await this.#handleBatch(Messages, handleMessageBatch);
    else await Promise.all(Messages.map((message) => this.#handle(message)));
  }

  async #handle(message: SqsMessage): Promise<void> {
    const { queueUrl: QueueUrl, visibilityTimeout: VisibilityTimeout, handleMessage } = this.#options;
    const { MessageId, ReceiptHandle } = message;
    const input = { QueueUrl, ReceiptHandle };
    const heartbeat = this.#beat(() => new ChangeMessageVisibilityCommand({ ...input, VisibilityTimeout }));
    await ignoringErrors(async () => {
      const done = await handleMessage?.(message);
      if (done?.MessageId === MessageId) await this.#send(new DeleteMessageCommand(input));
    });
    this.#clock.clearTimer(heartbeat);
  }

  async #handleBatch(
    messages: SqsMessage[],
    handle: (messages: SqsMessage[]) => Promise<SqsMessage[]>,
  ): Promise<void> {
    const { queueUrl: QueueUrl, visibilityTimeout } = this.#options;
    const entry = ({ MessageId: Id, ReceiptHandle }: SqsMessage) => ({ Id, ReceiptHandle });
    const heartbeat = this.#beat(() => {
      const Entries = messages.map((one) => ({ ...entry(one), VisibilityTimeout: visibilityTimeout }));
      return new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries });
    });
    await ignoringErrors(async () => {
      const done = await handle(messages);
      if (done.length === 0) return;
      await this.#send(new DeleteMessageBatchCommand({ QueueUrl, Entries: done.map(entry) }));
    });
    this.#clock.clearTimer(heartbeat);
  }

  #beat(command: () => object): Timer {
    return this.#clock.setRepeating(() => {
      void ignoringErrors(() => this.#send(command()));
    }, this.#options.heartbeatInterval * 1_000);
  }

  #send(command: object): Promise<object> {
    const { signal: abortSignal } = this.abortController;
    return this.#options.sqs.send(command as never, { abortSignal } as never);
  }
}

/** They are events of sqs-consumer. */
async function ignoringErrors(call: () => Promise<unknown>): Promise<void> {
  try {
    await call();
  } catch {
    return;
  }
}
