import { isError } from '../../src/adapter-kit.ts';
import { HandleOnceError } from '../../src/index.ts';
import type { RedriveQueueOptions, RedriveReport } from '../sqs/index.ts';
import type { RedriveOptions } from '../operations/redrive/options.ts';
import type { ConfigModule } from './config.ts';
import { BrokerError, UsageError } from './errors.ts';
import { inOneLine } from './one-line.ts';
import type { AnyDeadLetter } from './redrive-answer.ts';
import { SQS_FIX, sqsSdk } from './sqs-sdk.ts';

type Client = RedriveQueueOptions['client'];

export interface AnyRedrive extends RedriveOptions<{ readonly key: string }, AnyDeadLetter> {
  /** The URL of a queue, or the name of a topic. */
  readonly from: string;
  readonly to?: string | undefined;
  /** Of a topic. */
  readonly sendUnrecorded?: boolean | undefined;
}

/** By the clients of the module `--config`; for SQS also by those of the project's own SDK. */
export async function redriveWith(config: ConfigModule, options: AnyRedrive): Promise<RedriveReport> {
  return await (options.from.includes('://') ? redriveQueueWith : redriveTopicWith)(config, options);
}

async function redriveQueueWith(
  { sqs, key }: ConfigModule,
  { to, sendUnrecorded, ...options }: AnyRedrive,
): Promise<RedriveReport> {
  if (to === undefined)
    throw new UsageError('--to is missing: the URL of the queue that the dead letters go back to');
  if (sendUnrecorded === true)
    throw new UsageError(
      '--send-unrecorded is only for a topic: a dead letter that is sent leaves the queue',
    );
  const client = sqs ?? (await sdkClient());
  if (client === undefined) throw noSdk();
  const { redriveQueue } = await sqsAdapter();
  try {
    return await redriveQueue({ ...options, to, client, key });
  } catch (cause) {
    // Of the database, or of an option: it says itself what to do.
    if (cause instanceof HandleOnceError) throw cause;
    throw new BrokerError(`the redrive stopped (${inOneLine(cause)}): ${fixOf(cause)}`, { cause });
  }
}

/** What to do, by the name that the SDK gives the error. */
function fixOf(cause: unknown): string {
  const name = isError(cause) ? cause.name : '';
  if (name.includes('AccessDenied')) return RIGHTS;
  return /Timeout|Abort/.test(name)
    ? `check that SQS can be reached; ${GOES_ON}`
    : `where SQS is the cause, ${SQS_FIX}`;
}

const RIGHTS =
  'allow sqs:ReceiveMessage, sqs:DeleteMessage and sqs:ChangeMessageVisibility on --from, and sqs:SendMessage on --to';
const GOES_ON = 'the next call continues from there';

/** Loaded here alone: it needs the SDK, also with a client of the module, and no other command does. */
async function sqsAdapter() {
  try {
    return await import('../sqs/index.ts');
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND' ? noSdk() : error;
  }
}

function noSdk(): UsageError {
  return new UsageError('redrive of a queue needs the client of SQS: run npm install @aws-sdk/client-sqs');
}

/** With its usual environment. */
async function sdkClient(): Promise<Client | undefined> {
  const sdk = await sqsSdk<Client>();
  return sdk && new sdk.SQSClient({});
}

async function redriveTopicWith({ kafka }: ConfigModule, options: AnyRedrive): Promise<RedriveReport> {
  if (kafka === undefined) {
    throw new UsageError(
      'a topic needs a --config that exports kafka: new Kafka({ brokers, ssl, sasl }) of kafkajs. For a queue, ' +
        'give its URL',
    );
  }
  const { redriveTopic } = await import('../kafka/index.ts');
  try {
    return await redriveTopic({ ...options, kafka });
  } catch (cause) {
    if (cause instanceof HandleOnceError) throw cause;
    const message = `the redrive of topic ${options.from} stopped (${inOneLine(cause)})`;
    throw new BrokerError(
      `${message}: check that the brokers of kafka in --config can be reached; ${GOES_ON}`,
      { cause },
    );
  }
}
