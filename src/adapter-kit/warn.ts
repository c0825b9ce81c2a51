import type { EventSink } from '../event-sink.ts';

export interface Warning<Name extends string> {
  readonly warning: Name;
  readonly message: string;
}

/** A warning is for whoever runs the process, so it is told without a hook too. */
export function warn<Name extends string>(
  { warning, message }: Warning<Name>,
  events: Pick<EventSink<Warning<Name> & { readonly type: 'warning' }>, 'emit'>,
): void {
  events.emit({ type: 'warning', warning, message });
  process.emitWarning(message, { type: 'HandleOnceWarning', code: warning });
}
