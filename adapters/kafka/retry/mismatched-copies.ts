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
      `${idOf(copy)} has headers that make it a copy of ${idOf(original)}, and is another message: it is handled as ` +
      'one of its own, and so is each further one of this topic. Have its producer send no header whose name begins ' +
      'with handle-once-retry-';
    warn({ warning: 'COPY_MISMATCH', message }, events);
  };
}

function idOf({ topic, partition, message }: Placed): string {
  return coordinatesOf(topic, partition, message.offset);
}
