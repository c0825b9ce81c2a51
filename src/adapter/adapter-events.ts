import type { AnyHandleOnce } from '../api/handle-once.ts';
import { createEventSink, type EventSink, type SinkOptions } from '../reporting/event-sink.ts';

/** The events of an adapter. The logger is by default the one of `handleOnce`. */
export function createAdapterEvents<Event extends { readonly type: string }>({
  onEvent,
  logger,
  handleOnce,
}: SinkOptions<Event> & { readonly handleOnce: AnyHandleOnce }): EventSink<Event> {
  const { logger: ofHandleOnce, scope } = handleOnce.settings;
  return createEventSink<Event>({ onEvent, logger: logger ?? ofHandleOnce, scope });
}
