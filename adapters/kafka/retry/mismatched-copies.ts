import type { EventSink } from '../../../src/adapter-kit.ts';
import { warn } from '../../shared/warn.ts';
import { coordinatesOf } from '../../shared/kafka/log-identity.ts';
import type { Placed } from '../log/log-client.ts';
import type { KafkaEvent } from '../log/events.ts';

/** Warns, once for each topic, of a message that says that it is a copy of another, and has other content. */
export type WarnMismatchedCopy = (copy: Placed, original: Placed) => void;

export function createWarnMismatchedCopy(events: EventSink<KafkaEvent>): WarnMismatchedCopy {
  const warned = new Set<string>();
  return (copy, original) => {
    if (warned.has(copy.topic)) return;
    warned.add(copy.topic);
    const message =
      `${idOf(copy)} has headers that mark it as a copy of ${idOf(original)}, but it is a different message. It is ` +
      'handled as a message of its own, and so is each further one in this topic. Its producer must not send ' +
      'headers whose names begin with handle-once-retry-';
    warn({ warning: 'COPY_MISMATCH', message }, events);
  };
}

function idOf({ topic, partition, message }: Placed): string {
  return coordinatesOf(topic, partition, message.offset);
}
