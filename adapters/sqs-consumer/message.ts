import type { Message } from '@aws-sdk/client-sqs';

/** A message as sqs-consumer gives it. */
export type SqsMessage = Message;
