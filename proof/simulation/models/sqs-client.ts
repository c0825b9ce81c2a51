import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageCommand,
  type SendMessageCommandInput,
} from '@aws-sdk/client-sqs';
import type { SqsMessage } from '../../../adapters/sqs/index.ts';
import type { SqsClient } from '../../../adapters/shared/sqs/queue.ts';
import type { SqsOnFailed } from '../../../adapters/shared/sqs/queue-options.ts';
import type { PlannedMessage } from '../plan/plan.ts';
import type { Settings } from '../plan/settings.ts';
import type { Life } from '../time/life.ts';
import { never } from '../time/never.ts';
import type { World } from '../world/world.ts';
import type { Queue, Receipt } from './queue.ts';

const HOST = 'https://sqs.simulation';

export function queueUrlOf({ isFifo }: Settings): string {
  return `${HOST}/1/messages${isFifo ? '.fifo' : ''}`;
}

/** As the option of that name. */
export function onFailedOf({ onFailed, isFifo }: Settings): SqsOnFailed {
  if (onFailed !== 'dead-letter') return onFailed;
  return { deadLetterQueueUrl: `${HOST}/1/letters${isFifo ? '.fifo' : ''}` };
}

/** Where the messages of producers have their key. */
export function keyInBody({ Body = '' }: SqsMessage): string | undefined {
  return (JSON.parse(Body) as { readonly key?: string }).key;
}

/** The attribute by which a copy of a message is known. */
export const ID_ATTRIBUTE = 'id';

/** How often the queue refuses one entry of a batch. */
const REFUSED_SHARE = 0.04;

interface Entry {
  readonly Id: string | undefined;
  readonly ReceiptHandle: string | undefined;
  readonly VisibilityTimeout?: number | undefined;
}

/** Undefined where an entry is done. */
type Refusal = { readonly Code: string; readonly SenderFault: boolean } | undefined;

interface CallOptions {
  readonly abortSignal?: AbortSignal;
}

/** The client of SQS as one process has it: each command goes over the network to the model of the queue. */
export function sqsClientOf(world: World, queue: Queue, life: Life): SqsClient {
  const { network, scheduler, plan } = world;

  function call(effect: () => object): Promise<object> {
    return network.send(life, network.fateOf(life, 'broker'), effect, unreachable);
  }

  /** A long poll: what it lands is not its answer. */
  function receive(input: ReceiveMessageCommandInput, signal: AbortSignal | undefined): Promise<object> {
    const fate = network.fateOf(life, 'broker');
    if (fate.answer !== 'reply' && fate.landsAfterMs === undefined) {
      return network.send(life, fate, () => ({}), unreachable);
    }
    return new Promise((resolve, reject) => {
      signal?.addEventListener(
        'abort',
        () => {
          reject(signal.reason as Error);
        },
        { once: true },
      );
      const backMs = fate.answersAfterMs - (fate.landsAfterMs ?? 0);
      const answer = (receipts: readonly Receipt[]): void => {
        if (fate.answer === 'silence') return;
        life.arrive(backMs, () => {
          if (fate.answer === 'reply') resolve({ Messages: receipts.map(toMessage) });
          else reject(unreachable());
        });
      };
      const poll = {
        life,
        max: input.MaxNumberOfMessages ?? 1,
        visibilityMs: (input.VisibilityTimeout ?? plan.settings.queueVisibilitySeconds) * 1_000,
        answer,
      };
      scheduler.after(fate.landsAfterMs ?? 0, () => {
        queue.receive(poll, (input.WaitTimeSeconds ?? 0) * 1_000);
      });
    });
  }

  function batch(entries: readonly Entry[] = [], handle: (entry: Entry) => Refusal): object {
    const Successful: object[] = [];
    const Failed: object[] = [];
    for (const entry of entries) {
      const refusal = refuses(entry) ?? handle(entry);
      if (refusal === undefined) Successful.push({ Id: entry.Id });
      else Failed.push({ Id: entry.Id, ...refusal });
    }
    return { Successful, Failed };
  }

  function refuses({ ReceiptHandle }: Entry): Refusal {
    if (!plan.queueForgets || network.isCalm || !world.random.chance(REFUSED_SHARE)) return undefined;
    world.tell({ type: 'fault', fault: 'entry refused by the queue', life, what: ReceiptHandle ?? '' });
    return { Code: 'InternalError', SenderFault: false };
  }

  function groupOf({ group }: PlannedMessage): object {
    return plan.settings.isFifo ? { MessageGroupId: group } : {};
  }

  function sendLetter({ MessageAttributes, MessageGroupId }: SendMessageCommandInput): object {
    const message = world.messageOf(MessageAttributes?.[ID_ATTRIBUTE]?.StringValue ?? '');
    if (plan.settings.isFifo && MessageGroupId !== message.group) {
      return new Error('MissingParameter: a letter to a FIFO queue needs the group of its message');
    }
    world.tell({ type: 'letter', life, message });
    queue.takeLetter(message);
    return {};
  }

  function toMessage({ message, handle, receiveCount }: Receipt) {
    return {
      MessageId: message.id,
      ReceiptHandle: handle,
      Body: message.body,
      Attributes: { ApproximateReceiveCount: String(receiveCount), ...groupOf(message) },
      MessageAttributes: { [ID_ATTRIBUTE]: { DataType: 'String', StringValue: message.id } },
    };
  }

  function attributes(): object {
    const { queueVisibilitySeconds, maxReceiveCount } = plan.settings;
    const redrive =
      maxReceiveCount === undefined ? {} : { RedrivePolicy: JSON.stringify({ maxReceiveCount }) };
    return { Attributes: { VisibilityTimeout: String(queueVisibilitySeconds), ...redrive } };
  }

  function send(command: unknown, { abortSignal }: CallOptions = {}): Promise<object> {
    if (!life.isAlive) return never();
    if (command instanceof ReceiveMessageCommand) return receive(command.input, abortSignal);
    if (command instanceof DeleteMessageBatchCommand) {
      const { Entries } = command.input;
      return call(() =>
        batch(Entries, ({ ReceiptHandle = '' }) => refusalOf(queue.delete(life, ReceiptHandle))),
      );
    }
    if (command instanceof ChangeMessageVisibilityBatchCommand) {
      const { Entries } = command.input;
      return call(() =>
        batch(Entries, ({ ReceiptHandle = '', VisibilityTimeout = 0 }) =>
          refusalOf(queue.changeVisibility(ReceiptHandle, VisibilityTimeout)),
        ),
      );
    }
    if (command instanceof DeleteMessageCommand) {
      const { ReceiptHandle = '' } = command.input;
      return call(() => accepted(queue.delete(life, ReceiptHandle)));
    }
    if (command instanceof ChangeMessageVisibilityCommand) {
      const { ReceiptHandle = '', VisibilityTimeout = 0 } = command.input;
      return call(() => accepted(queue.changeVisibility(ReceiptHandle, VisibilityTimeout)));
    }
    if (command instanceof SendMessageCommand) return call(() => sendLetter(command.input));
    if (command instanceof GetQueueAttributesCommand) return call(attributes);
    throw new Error('a command that the simulation does not know');
  }

  return { send: send as SqsClient['send'] };
}

function refusalOf(Code: string | undefined): Refusal {
  return Code === undefined ? undefined : { Code, SenderFault: true };
}

function accepted(code: string | undefined): object {
  return code === undefined ? {} : Object.assign(new Error('the queue refused the call'), { name: code });
}

function unreachable(): Error {
  return Object.assign(new Error('the queue cannot be reached'), { name: 'TimeoutError' });
}
