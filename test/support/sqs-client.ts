import { SQSClient } from '@aws-sdk/client-sqs';

/** A client for a server that speaks SQS. Knows nothing of the test runner: worker processes use it too. */
export function createSqsClient(endpoint: string): SQSClient {
  return new SQSClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    // A queue's URL can name a host that only the server itself knows.
    useQueueUrlAsEndpoint: false,
  });
}
