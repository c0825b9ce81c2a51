import {
  type Consumer,
  deliverInTurn,
  type Delivery,
  type EventSink,
  type Turn,
} from '../../src/adapter-kit.ts';
import type { LambdaRecordEvent } from './events.ts';
import type { RecordVerdict } from './run-batch.ts';

/** One record, and how it is handled. */
export interface Job<Id> extends Omit<Delivery<unknown>, 'emit'> {
  readonly itemIdentifier: Id;
}

/** Handles one record, and dead-letters it where its outcome asks for that. It never throws. */
export async function processRecord<Id>(
  consumer: Consumer,
  { itemIdentifier, ...delivery }: Job<Id>,
  events: EventSink<LambdaRecordEvent<Id>>,
  turn: Turn,
): Promise<RecordVerdict | 'not-started'> {
  const emit: Delivery<unknown>['emit'] = (event) => {
    events.emit({ ...event, itemIdentifier });
  };
  const verdict = await deliverInTurn(consumer, { ...delivery, emit }, turn);
  if (verdict === 'not-started' || verdict.acknowledge) return verdict;
  const { reason } = verdict;
  return { ...verdict, reason: reason === 'aborted' ? 'out-of-time' : reason };
}
