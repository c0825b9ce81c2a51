import { installed } from './installed.ts';

/** The part of `@aws-sdk/client-sqs` that is used. */
export interface SqsSdk<Client> {
  readonly SQSClient: new (options: object) => Client;
  readonly GetQueueAttributesCommand: new (input: object) => object;
}

/** The library of the project; undefined where it has none. */
export function sqsSdk<Client>(): Promise<SqsSdk<Client> | undefined> {
  return installed<SqsSdk<Client>>('@aws-sdk/client-sqs');
}
