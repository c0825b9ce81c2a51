import { installed } from './installed.ts';

/** The part of `@aws-sdk/client-sqs` that is used. */
export interface SqsSdk<Client> {
  readonly SQSClient: new (options: object) => Client;
  readonly GetQueueAttributesCommand: new (input: object) => object;
}

/** What to do where SQS gives no answer. */
export const SQS_FIX =
  'set AWS_REGION and the credentials of the AWS SDK, or give a --config that exports sqs, an SQSClient';

/** The library of the project; undefined where it has none. */
export function sqsSdk<Client>(): Promise<SqsSdk<Client> | undefined> {
  return installed<SqsSdk<Client>>('@aws-sdk/client-sqs');
}
