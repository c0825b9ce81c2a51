import type { BatchResultErrorEntry, SQSClient } from '@aws-sdk/client-sqs';
import type { SqsClient } from '../../../adapters/shared/sqs/queue.ts';

type Verb =
  | 'ChangeMessageVisibilityBatch'
  | 'DeleteMessageBatch'
  | 'GetQueueAttributes'
  | 'ReceiveMessage'
  | 'SendMessage';

export interface Entry {
  readonly Id: string;
  readonly ReceiptHandle: string;
  readonly VisibilityTimeout?: number;
}

/** A call that the adapter makes. */
export interface Call {
  readonly verb: Verb;
  readonly queueUrl: string;
  readonly max: number;
  /** Of a receive. */
  readonly visibilityTimeoutSeconds: number | undefined;
  /** Of a batch call. */
  readonly entries: readonly Entry[];
}

type Interpose = (call: Call, forward: () => Promise<object>) => Promise<object>;

export interface InterposedClient extends SqsClient {
  readonly calls: readonly Call[];
  /** Calls so far that touch one message: deletes and changes of its visibility. */
  touches(receiptHandle: string): Call[];
}

/** The real client, with a hand on each of its calls: all are recorded, some are made to fail. */
export function interposedClient(client: SQSClient, interpose?: Interpose): InterposedClient {
  const calls: Call[] = [];
  const send = async (command: object, ...rest: unknown[]): Promise<object> => {
    const call = toCall(command);
    calls.push(call);
    const forward = () => client.send(command as never, ...(rest as [])) as unknown as Promise<object>;
    return interpose === undefined ? await forward() : await interpose(call, forward);
  };
  return {
    send: send as SQSClient['send'],
    calls,
    touches: (handle) =>
      calls.filter(({ entries }) => entries.some((entry) => entry.ReceiptHandle === handle)),
  };
}

function toCall(command: object): Call {
  const { input } = command as {
    input: { QueueUrl: string; MaxNumberOfMessages?: number; VisibilityTimeout?: number; Entries?: Entry[] };
  };
  return {
    verb: command.constructor.name.replace(/Command$/, '') as Verb,
    queueUrl: input.QueueUrl,
    max: input.MaxNumberOfMessages ?? 0,
    visibilityTimeoutSeconds: input.VisibilityTimeout,
    entries: input.Entries ?? [],
  };
}

/** A batch reply that says of every entry that it failed. */
export function allFailed({ entries }: Call, code: string, senderFault: boolean): object {
  const failed = ({ Id }: Entry): BatchResultErrorEntry => ({ Id, Code: code, SenderFault: senderFault });
  return { Successful: [], Failed: entries.map(failed) };
}

/** An error as the SDK throws it. */
export function sdkError(name: string): Error {
  return Object.assign(new Error(`${name} (made by a test)`), { name });
}
