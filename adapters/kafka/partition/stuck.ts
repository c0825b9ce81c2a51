import { type EventSink, warn } from '../../../src/adapter-kit.ts';
import type { KafkaEvent } from '../events.ts';
import { idOf } from './place-id.ts';

/** Warns once of a message that nothing but a person can get its partition past. */
export type WarnStuck = (topic: string, partition: number, offset: string, why: string) => void;

export function createWarnStuck(events: EventSink<KafkaEvent>, hasDeadLetters: boolean): WarnStuck {
  const advice = hasDeadLetters
    ? 'it is not dead-lettered, since a function of the options seems to be wrong: correct it'
    : 'a dead-letter topic, given as onFailed, gets past such messages';
  const told = new Map<string, string>();
  return (topic, partition, offset, why) => {
    const id = idOf({ topic, partition });
    if (told.get(id) === offset) return;
    told.set(id, offset);
    const message =
      `partition ${partition} of ${topic} is stuck at offset ${offset}: ${why} ` + `(${advice})`;
    warn({ warning: 'PARTITION_STUCK', message }, events);
  };
}
