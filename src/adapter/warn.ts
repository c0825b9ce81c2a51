import type { EventSink } from '../reporting/event-sink.ts';

export interface Warning<Name extends string> {
  readonly warning: Name;
  readonly message: string;
}

/** Tells a finding about settings. */
export function warn<Name extends string>(
  found: Warning<Name> | undefined,
  events: Pick<EventSink<Warning<Name> & { readonly type: 'warning' }>, 'emit'>,
): void {
  if (found === undefined) return;
  const { warning, message } = found;
  events.emit({ type: 'warning', warning, message });
}
