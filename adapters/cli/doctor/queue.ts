import type { Finding } from '../../operations/index.ts';
import type { HandleOnceSettings } from '../../../src/index.ts';
import { CALL_TIMEOUT_MS } from '../../shared/sqs/in-time.ts';
import { fifoRedriveFault, noRedrivePolicy, unreadableQueue } from '../../shared/sqs/queue-check.ts';
import {
  isAboveLease,
  isFifoQueue,
  leaseFault,
  type QueueFacts,
  queueFacts,
  type QueueWarning,
  queueWarnings,
} from '../../shared/sqs/queue-settings.ts';
import { isNoSuchQueue } from '../../shared/sqs/queue-url.ts';
import { queueName } from '../../shared/sqs/queue-url.ts';
import type { SqsClient } from '../config.ts';
import { UsageError } from '../errors.ts';
import { printable } from '../printable.ts';
import { SQS_FIX, sqsSdk } from '../sqs-sdk.ts';

/** The settings of a queue, against those of `handleOnce`. `client` is the user's own, or one is made. */
export async function queueFindings(
  queueUrl: string,
  settings: HandleOnceSettings,
  client: SqsClient | undefined,
): Promise<Finding[]> {
  const sdk = await sqsSdk<SqsClient>();
  if (sdk === undefined) {
    throw new UsageError('--queue-url needs the client of SQS: run npm install @aws-sdk/client-sqs');
  }
  const { GetQueueAttributesCommand, SQSClient } = sdk;
  let facts: QueueFacts;
  try {
    const command = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] });
    const options = { abortSignal: AbortSignal.timeout(CALL_TIMEOUT_MS) };
    const { Attributes = {} } = await (client ?? new SQSClient({})).send(command, options);
    facts = queueFacts(Attributes);
  } catch (error) {
    if (isNoSuchQueue(error)) return [missing(queueUrl)];
    const found = printable(unreadableQueue(error, false).message);
    return [{ check: 'queue', level: 'notice', found, fix: SQS_FIX }];
  }
  return judged(facts, settings, isFifoQueue(queueUrl));
}

function missing(queueUrl: string): Finding {
  return {
    check: 'queue',
    level: 'problem',
    found: printable(`the queue ${queueName(queueUrl)} does not exist`),
    fix: 'create it, or correct its URL: account and region are part of it',
  };
}

/** The default of SQS, for a queue that does not name its own. */
const DEFAULT_VISIBILITY_SECONDS = 30;

function judged(facts: QueueFacts, settings: HandleOnceSettings, isFifo: boolean): Finding[] {
  const { visibilityTimeoutSeconds: seconds = DEFAULT_VISIBILITY_SECONDS, maxReceiveCount } = facts;
  const warnings = queueWarnings(facts, settings);
  const messageOf = (name: QueueWarning['warning']) =>
    warnings.find(({ warning }) => warning === name)?.message;
  return [
    finding(
      'queue-visibility',
      isAboveLease(seconds, settings.leaseMs)
        ? undefined
        : `the visibility timeout of the queue ${leaseFault('visibilityTimeoutSeconds', seconds, settings.leaseMs)}. ` +
            'createSqsWorker sets a longer one when it receives',
      `${seconds} s, above the lease of ${settings.leaseMs / 1_000} s`,
    ),
    finding('queue-retention', messageOf('RETENTION_TOO_SHORT'), 'records outlive the messages of the queue'),
    finding(
      'queue-redrive',
      maxReceiveCount === undefined
        ? withoutPolicy(facts, seconds, isFifo)
        : messageOf('MAX_RECEIVE_COUNT_TOO_LOW'),
      `after ${maxReceiveCount} receives, enough for maxAttempts (${settings.maxAttempts}) and maxDeaths (${settings.maxDeaths})`,
    ),
  ];
}

function withoutPolicy(facts: QueueFacts, seconds: number, isFifo: boolean): string {
  return isFifo ? `onFailed ${fifoRedriveFault(facts)}` : noRedrivePolicy(facts, seconds).message;
}

function finding(check: string, notice: string | undefined, ok: string): Finding {
  return notice === undefined ? { check, level: 'ok', found: ok } : { check, level: 'notice', found: notice };
}
