import type { SQSClient } from '@aws-sdk/client-sqs';

/** A call at the queue. */
export interface Call {
  readonly verb: string;
  /** Seconds of visibility, one for each message that the call touches. */
  readonly visibility: readonly (number | undefined)[];
  /** How many messages a delete has. */
  readonly entries: number;
}

interface Input {
  readonly VisibilityTimeout?: number;
  readonly Entries?: readonly { readonly VisibilityTimeout?: number }[];
}

/** The real client, whose calls are recorded in the order that they are made in. */
export function recordingClient(sqs: SQSClient): { readonly client: SQSClient; readonly calls: Call[] } {
  const calls: Call[] = [];
  const send = (command: { readonly input: Input }, ...rest: unknown[]): unknown => {
    const { Entries = [command.input] } = command.input;
    const verb = command.constructor.name.replace(/Command$/, '');
    const visibility = Entries.map(({ VisibilityTimeout }) => VisibilityTimeout);
    calls.push({ verb, visibility, entries: Entries.length });
    return sqs.send(command as never, ...(rest as []));
  };
  return { client: { send } as unknown as SQSClient, calls };
}
