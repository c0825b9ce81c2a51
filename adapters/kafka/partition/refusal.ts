import type { EventSink } from '../../../src/adapter-kit.ts';
import type { Generation } from './generation.ts';
import type { KafkaEvent } from '../log/events.ts';
import type { LogConsumer } from '../log/log-client.ts';

/** Where a call to the client failed. */
export interface RefusalContext {
  readonly client: Pick<LogConsumer, 'endsMembership'>;
  readonly generation: Generation;
  readonly events: EventSink<KafkaEvent>;
}

/** Interrupts the generation when the group goes on without us; any other failure is an event. */
export function emitRefusal(
  verb: 'heartbeat' | 'commit',
  error: unknown,
  { client, generation, events }: RefusalContext,
): void {
  if (client.endsMembership(error)) generation.interrupt(error);
  else events.emit({ type: 'client-error', verb, error });
}
