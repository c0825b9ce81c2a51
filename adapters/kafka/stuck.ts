import { type EventSink, warn } from '../../src/adapter-kit.ts';
import type { KafkaEvent } from './events.ts';

/** Warns once of a message that nothing but a person can get its partition past. */
export type WarnStuck = (topic: string, partition: number, offset: string, why: string) => void;

export function createWarnStuck(events: EventSink<KafkaEvent>): WarnStuck {
  const told = new Map<string, string>();
  return (topic, partition, offset, why) => {
    const id = `${topic}/${partition}`;
    if (told.get(id) === offset) return;
    told.set(id, offset);
    const message =
      `partition ${partition} of ${topic} is stuck at offset ${offset}: ${why} ` +
      '(a dead-letter topic, given as onFailed, gets past such messages)';
    warn({ warning: 'PARTITION_STUCK', message }, events);
  };
}
