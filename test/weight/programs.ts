/** What stands in for a client: nothing is sent while a function starts. */
const CORE = `
import { createHandleOnce } from 'handle-once';
const sql = { unsafe() {}, begin() {} };
export const handleOnce = createHandleOnce({ sql, scope: 'billing' });
`;

/** A module that has all of a subpath. */
function all(subpath: string): string {
  return `export * from '${subpath}';`;
}

/** The rows of the table in docs/evidence/benchmarks/README.md: functions as they are written, and whole subpaths. */
export const programs: Readonly<Record<string, string>> = {
  'a function of an SQS queue': `${CORE}
import { onceEachSqsRecord } from 'handle-once/lambda';
export const handler = onceEachSqsRecord({ handleOnce }, async () => {});
`,
  'a function of a Kafka topic': `${CORE}
import { onceEachKafkaRecord } from 'handle-once/lambda';
export const handler = onceEachKafkaRecord({ groupId: 'billing', handleOnce, onFailed: 'keep' }, async () => {});
`,
  'a receiver of webhooks': `${CORE}
import { onceEachWebhook } from 'handle-once/webhook';
export const handler = onceEachWebhook(
  { handleOnce, source: 'github', verify: () => true },
  async () => {},
);
`,
  'handle-once': all('handle-once'),
  'handle-once/adapter': all('handle-once/adapter'),
  'handle-once/clients': all('handle-once/clients'),
  'handle-once/envelopes': all('handle-once/envelopes'),
  'handle-once/http': all('handle-once/http'),
  'handle-once/kafka': all('handle-once/kafka'),
  'handle-once/kafka-confluent': all('handle-once/kafka-confluent'),
  'handle-once/kafka-platformatic': all('handle-once/kafka-platformatic'),
  'handle-once/lambda': all('handle-once/lambda'),
  'handle-once/operations': all('handle-once/operations'),
  'handle-once/otel': all('handle-once/otel'),
  'handle-once/sqs': all('handle-once/sqs'),
  'handle-once/webhook': all('handle-once/webhook'),
};
