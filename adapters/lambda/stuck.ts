import { describeThrown, type EventSink, type Verdict, warn } from '../../src/adapter-kit.ts';
import { isStuck } from '../shared/kafka/is-stuck.ts';
import type { KafkaItemIdentifier } from './kafka-event.ts';
import type { KafkaRecordEvent } from './kafka-options.ts';

/**
 * Warns once of a record that can never be acknowledged: nothing of its partition is handled until Lambda gives it up.
 */
export type WarnStuck = (itemIdentifier: KafkaItemIdentifier, verdict: Verdict) => void;

export function createWarnStuck(events: EventSink<KafkaRecordEvent>): WarnStuck {
  const told = new Map<string, number>();
  return ({ partition, offset }, verdict) => {
    if (!isStuck(verdict)) return;
    if (told.get(partition) === offset) return;
    told.set(partition, offset);
    const message =
      `${partition} is stuck at offset ${offset}: ${describeThrown(verdict.error)} ` +
      'Limit the retries of the event source mapping, and give it an on-failure destination, to get past such records';
    warn({ warning: 'PARTITION_STUCK', message }, events);
  };
}
