import type { MessageSource } from '../../../src/index.ts';
import { queueName } from './queue-url.ts';

/** Under this name X-Ray's propagator looks for what SQS keeps in a system attribute. */
const TRACE_HEADER = 'x-amzn-trace-id';

/** A message of a queue as traces know it. */
export interface QueueMessage {
  /** Its URL, or its ARN. */
  readonly queue: string;
  readonly messageId: string | undefined;
  /** The text of a message attribute. */
  readonly attribute: (name: string) => string | undefined;
  /** The system attribute `AWSTraceHeader`. */
  readonly traceHeader: string | undefined;
}

/** Where a message of a queue came from. */
export function queueSource({ queue, messageId, attribute, traceHeader }: QueueMessage): MessageSource {
  return {
    system: 'aws_sqs',
    destination: queueName(queue),
    messageId,
    header: (name) => attribute(name) ?? (name === TRACE_HEADER ? traceHeader : undefined),
  };
}

export interface Received {
  readonly MessageId?: string | undefined;
  readonly Attributes?: { readonly AWSTraceHeader?: string | undefined } | undefined;
  readonly MessageAttributes?:
    | Readonly<Record<string, { readonly StringValue?: string | undefined }>>
    | undefined;
}

/** The same for a message as ReceiveMessage gives it. */
export function receivedSource(queue: string, message: Received): MessageSource {
  const { MessageId, Attributes, MessageAttributes } = message;
  return queueSource({
    queue,
    messageId: MessageId,
    attribute: (name) => MessageAttributes?.[name]?.StringValue,
    traceHeader: Attributes?.AWSTraceHeader,
  });
}
