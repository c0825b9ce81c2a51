import { DeleteMessageCommand } from '@aws-sdk/client-sqs';
import type { SqsMessage } from '../../../adapters/sqs/index.ts';
import { createLifesHandleOnce } from '../actors/handle-once.ts';
import { createHandler } from '../actors/handler.ts';
import { ReceiveLoop } from '../actors/receive-loop.ts';
import { boundedClient } from '../models/bounded-client.ts';
import type { Queue } from '../models/queue.ts';
import type { Transaction } from '../models/transactions.ts';
import { keyInBody, queueUrlOf, sqsClientOf } from '../models/sqs-client.ts';
import { BROKER_FAULTS, POOL_FAULTS, STANDARD_FAULTS, TRANSACTION_FAULTS } from '../report/names.ts';
import { atomic } from '../rules/atomic.ts';
import type { Life } from '../world/life.ts';
import type { World } from '../world/world.ts';
import { openQueue } from './queue-scene.ts';
import { receiveMessages } from './receive-messages.ts';
import { OWN_KEYS, type Surface, type Worker } from './surface.ts';

/** How often a caller does not commit what has gone well. */
const ROLLED_BACK_SHARE = 0.08;

/** `handleOnce.within` in a loop of a user, who begins and commits the transaction of each message. */
export const within: Surface = {
  name: 'within',
  weight: 10,
  identity: OWN_KEYS,
  faults: [
    ...BROKER_FAULTS,
    ...STANDARD_FAULTS,
    ...TRANSACTION_FAULTS,
    ...POOL_FAULTS,
    'message without a key',
    'transaction rolled back by its caller',
  ],
  outcomes: [],
  lacks: [],
  rules: [atomic],
  // The user deletes what has failed for good.
  fit: (settings, random) => ({
    ...settings,
    onFailed: 'acknowledge',
    transactions: 'caller',
    connections: random.whole(2, 8),
  }),
  open: (world) => openQueue(world, startLoop),
};

function startLoop(world: World, queue: Queue, life: Life, onHang: () => void): Worker {
  const { settings } = world.plan;
  const { drainMs } = settings;
  const handle = createHandler(world, life, onHang);
  const handleOnce = createLifesHandleOnce(world, life);
  const database = world.database.transactionalClientOf(life, true);
  const client = boundedClient(sqsClientOf(world, queue, life), life.clock);
  const queueUrl = queueUrlOf(settings);

  /** Undefined where nothing is known of a message, or it has to run again. */
  async function isDone(message: SqsMessage, transaction: Transaction, signal: AbortSignal) {
    const { Body = '', MessageId = '' } = message;
    const planned = world.messageOf(MessageId);
    const work = (_: unknown, attempt: Parameters<typeof handle>[1]) => handle(planned, attempt, transaction);
    const { state } = await handleOnce.within(transaction)(keyInBody(message) ?? '', Body, work, { signal });
    mayRollBack(world, life, planned.id);
    return state !== 'pending';
  }

  return new ReceiveLoop(
    {
      drainMs,
      groupOf: () => undefined,
      async handle(message, { signal = new AbortController().signal }) {
        const hasEnded = await database.begin((transaction) => isDone(message, transaction, signal));
        if (!hasEnded) return { action: 'kept' };
        const { ReceiptHandle } = message;
        await client.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }));
        return { action: 'acknowledged' };
      },
      receive: (abortSignal) => receiveMessages(client, settings, abortSignal),
    },
    life.clock,
  );
}

/** Throws what makes the transaction roll back. */
function mayRollBack({ network, random, tell }: World, life: Life, what: string): void {
  if (network.isCalm || !random.chance(ROLLED_BACK_SHARE)) return;
  tell({ type: 'fault', fault: 'transaction rolled back by its caller', life, what });
  throw new Error('the caller has changed its mind');
}
