import type { OptionIssue } from '../../src/index.ts';
import type { KafkaSettings, SqsSettings } from './options.ts';

/** What the module was given by name. */
interface Settings {
  readonly sqs: Readonly<Record<string, SqsSettings>>;
  readonly kafka: Readonly<Record<string, KafkaSettings>>;
}

/** What two names have in common and cannot share: each message would go to either of their handlers. */
export function sharedFaults({ sqs, kafka }: Settings): OptionIssue[] {
  const queues = pairsOf(sqs, (a, b) => a.client === b.client && a.queueUrl === b.queueUrl);
  const consumers = pairsOf(kafka, (a, b) => a.consumer === b.consumer);
  return [
    ...queues.map(([first, second]) => ({
      field: `sqs.${second}.queueUrl`,
      message: `is the queue of sqs.${first} too: give each queue one name, and one handler`,
    })),
    ...consumers.map(([first, second]) => ({
      field: `kafka.${second}.consumer`,
      message: `is the consumer of kafka.${first} too: make one for each name, by kafka.consumer({ groupId })`,
    })),
  ];
}

/** Each name that has the same as one before it, and that one. */
function pairsOf<One>(
  byName: Readonly<Record<string, One>>,
  isSame: (a: One, b: One) => boolean,
): [first: string, second: string][] {
  const entries = Object.entries(byName);
  return entries.flatMap(([name, one], index) => {
    const before = entries.slice(0, index).find(([, other]) => isSame(one, other));
    return before === undefined ? [] : [[before[0], name] satisfies [string, string]];
  });
}
