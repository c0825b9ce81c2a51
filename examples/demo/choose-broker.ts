import type { Broker } from './broker.ts';
import { kafka } from './kafka/broker.ts';
import { sqs } from './sqs/broker.ts';

const brokers = new Map<string, Broker>([
  ['sqs', sqs],
  ['kafka', kafka],
]);

/** The broker that the command line asks for, or else SQS. */
export function chooseBroker(args: readonly string[]): Broker {
  const chosen = brokers.get(args[0] ?? 'sqs');
  if (chosen !== undefined && args.length <= 1) return chosen;
  const known = Array.from(brokers.keys(), (name) => `npm run demo -- ${name}`).join(' or ');
  throw new Error(`there is no demo "${args.join(' ')}": ${known}`);
}
