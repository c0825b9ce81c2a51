import type { SqsRecord, SqsResponse } from '../../../adapters/lambda/index.ts';
import type { LambdaContext } from '../../../adapters/lambda/deadline.ts';
import type { LambdaSqsEvent } from '../../../adapters/lambda/sqs-event.ts';
import type { Life } from '../time/life.ts';
import type { World } from '../world/world.ts';
import type { Queue, Receipt } from './queue.ts';
import { ID_ATTRIBUTE } from './sqs-client.ts';

export type LambdaFunction = (event: LambdaSqsEvent, context: LambdaContext) => Promise<SqsResponse>;

export interface MappingSettings {
  readonly batchSize: number;
  /** Of the function: after it, its environment is killed. */
  readonly timeoutMs: number;
  readonly visibilityMs: number;
  /** Whether the monotonic clock stops in an environment that is frozen. */
  readonly isSuspended: boolean;
}

/** How long the mapping waits for messages, and between two batches. */
const WAIT_MS = 5_000;
const PAUSE_MS = 50;
/** Between the service and an environment. */
const ONE_WAY_MS = 2;

/**
 * An execution environment of AWS Lambda with the event source mapping of an SQS queue in front of it: one batch after
 * the other, frozen in between. What the answer does not report is deleted; of an invocation that fails nothing is, and
 * its messages come again when their visibility timeout lapses.
 */
export class Environment {
  readonly #world: World;
  readonly #queue: Queue;
  readonly #life: Life;
  readonly #settings: MappingSettings;
  readonly #call: LambdaFunction;
  #thaw: () => void;
  #isRetiring = false;
  #onIdle: (() => void) | undefined;

  constructor(world: World, queue: Queue, life: Life, settings: MappingSettings, call: LambdaFunction) {
    this.#world = world;
    this.#queue = queue;
    this.#life = life;
    this.#settings = settings;
    this.#call = call;
    this.#thaw = this.#freeze();
    this.#poll();
  }

  /** A deployment lets the invocation under way end. */
  async stop(): Promise<void> {
    this.#isRetiring = true;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  #freeze(): () => void {
    return this.#life.freeze(this.#settings.isSuspended);
  }

  #poll(): void {
    const { batchSize: max, visibilityMs } = this.#settings;
    const life = this.#life;
    if (this.#isRetiring) this.#onIdle?.();
    if (!life.isAlive || this.#isRetiring) return;
    const answer = (receipts: readonly Receipt[]): void => {
      if (receipts.length > 0) this.#invoke(receipts);
      else this.#poll();
    };
    this.#queue.receive({ life, max, visibilityMs, answer }, WAIT_MS);
  }

  #invoke(receipts: readonly Receipt[]): void {
    const { scheduler } = this.#world;
    const life = this.#life;
    if (!life.isAlive) return;
    const endsAt = scheduler.now() + this.#settings.timeoutMs;
    let isOver = false;
    const end = (): void => {
      isOver = true;
      this.#thaw = this.#freeze();
      scheduler.after(PAUSE_MS, () => {
        this.#poll();
      });
    };
    scheduler.after(this.#settings.timeoutMs, () => {
      if (isOver || !life.isAlive) return;
      isOver = true;
      this.#world.tell({ type: 'fault', fault: 'function timed out', life });
      life.die();
      this.#onIdle?.();
    });
    this.#thaw();
    life.arrive(ONE_WAY_MS, () => {
      const event = { Records: receipts.map((receipt) => this.#toRecord(receipt)) };
      const context = { getRemainingTimeInMillis: () => endsAt - scheduler.now() };
      const answer = (reported: ReadonlySet<string>): void => {
        scheduler.after(ONE_WAY_MS, () => {
          if (isOver || !life.isAlive) return;
          this.#conclude(receipts, reported);
          end();
        });
      };
      this.#call(event, context).then(
        ({ batchItemFailures }) => {
          answer(new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)));
        },
        () => {
          answer(new Set(receipts.map(({ message }) => message.id)));
        },
      );
    });
  }

  /** The mapping deletes what was not reported, as far as it gets an answer and reaches the queue. */
  #conclude(receipts: readonly Receipt[], reported: ReadonlySet<string>): void {
    const { network, scheduler } = this.#world;
    const { landsAfterMs } = network.fateOf(this.#life, 'broker');
    if (landsAfterMs === undefined) return;
    scheduler.after(landsAfterMs, () => {
      for (const { message, handle } of receipts) {
        if (!reported.has(message.id)) this.#queue.delete(this.#life, handle);
      }
    });
  }

  #toRecord({ message, handle, receiveCount }: Receipt): SqsRecord {
    const { isFifo } = this.#world.plan.settings;
    return {
      messageId: message.id,
      receiptHandle: handle,
      body: message.body,
      attributes: {
        ApproximateReceiveCount: String(receiveCount),
        SentTimestamp: '0',
        SenderId: 'producer',
        ApproximateFirstReceiveTimestamp: '0',
        ...(isFifo ? { MessageGroupId: message.group } : {}),
      },
      messageAttributes: { [ID_ATTRIBUTE]: { dataType: 'String', stringValue: message.id } },
      md5OfBody: '',
      eventSource: 'aws:sqs',
      eventSourceARN: `arn:aws:sqs:simulation:1:messages${isFifo ? '.fifo' : ''}`,
      awsRegion: 'simulation',
    };
  }
}
