import type { EventSink } from '../../../src/adapter-kit.ts';
import { warn } from '../../shared/warn.ts';
import type { KafkaEvent } from '../log/events.ts';
import { idOf } from '../log/place-id.ts';

/** Warns once of a message that holds its partition until a person acts. `advice`: in place of the usual one. */
export type WarnStuck = (
  topic: string,
  partition: number,
  offset: string,
  why: string,
  advice?: string,
) => void;

const MOST_WARNED = 1_000;

export function createWarnStuck(events: EventSink<KafkaEvent>, hasDeadLetters: boolean): WarnStuck {
  const usual = hasDeadLetters
    ? 'it is not dead-lettered, because a function in the options seems to be wrong: correct it'
    : 'pass a dead-letter topic as onFailed to take such messages out of the partition';
  const warned = new Map<string, Set<string>>();
  return (topic, partition, offset, why, advice = usual) => {
    const id = idOf({ topic, partition });
    const offsets = warned.get(id) ?? new Set();
    if (offsets.has(offset)) return;
    if (offsets.size >= MOST_WARNED) offsets.clear();
    warned.set(id, offsets.add(offset));
    const message =
      `partition ${partition} of ${topic} is stuck at offset ${offset}: ${why} ` + `(${advice})`;
    warn({ warning: 'PARTITION_STUCK', message }, events);
  };
}
