import type { KafkaEvent } from '../../../adapters/kafka/index.ts';

/** As outcomes are counted: each reason to keep a message is a row of the table of outcomes. */
export function nameOfEvent(event: KafkaEvent): string {
  if (event.type === 'warning') return event.warning;
  return event.type === 'kept' ? `kept: ${event.reason}` : event.type;
}

export function textOfEvent(event: KafkaEvent): { readonly of: string; readonly detail: string } {
  if (event.type === 'warning') return { of: 'the consumer', detail: event.message };
  if (event.type === 'client-error') return { of: event.verb, detail: event.error.message };
  const place = `${event.topic}/${event.partition}`;
  const of = 'offset' in event ? `${place}/${event.offset}` : place;
  return { of, detail: detailOf(event) };
}

function detailOf(event: KafkaEvent): string {
  if (event.type === 'log-changed') return `${event.reason} from ${event.expected} to ${event.found}`;
  if (event.type === 'partition-paused') return `for ${Math.round(event.retryAfterMs)} ms`;
  return event.type === 'retry-produced' ? `to ${event.to}` : '';
}
