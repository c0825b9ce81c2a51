import type { OnceEachSqsRecord } from 'handle-once/lambda';
import { poll } from '../../lambda/support/poller.ts';
import { createSqsClient } from '../../support/sqs-client.ts';

/** Stands for Lambda: loads the module of a function, and polls its queue until it is told to end. */
const [module = '', endpoint = '', queueUrl = '', queueArn = ''] = process.argv.slice(2);
const { handler } = (await import(module)) as { handler: OnceEachSqsRecord };
const client = createSqsClient(endpoint);

process.once('SIGTERM', () => {
  console.log('counts', JSON.stringify(handler.counts()));
  process.exit(0);
});
for (;;) {
  const { delivered, reported } = await poll({ client, queueUrl, queueArn }, handler);
  if (delivered.length > 0) console.log(`${delivered.length} delivered, ${reported.length} reported`);
}
