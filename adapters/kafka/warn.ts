import type { EventSink } from '../../src/adapter-kit.ts';
import type { KafkaEvent, KafkaWarning } from './events.ts';

export interface Warning {
  readonly warning: KafkaWarning;
  readonly message: string;
}

/** A warning is for whoever runs the process, so it is told without a hook too. */
export function warn({ warning, message }: Warning, events: EventSink<KafkaEvent>): void {
  events.emit({ type: 'warning', warning, message });
  process.emitWarning(message, { type: 'HandleOnceWarning', code: warning });
}
