/** What the adapters share beyond the public face: sharing calls, refusing options, telling events. */
export { coalesce } from './coalesce.ts';
export { onAbort } from './engine/on-abort.ts';
export { createEventSink, type Counts, type EventSink } from './event-sink.ts';
export { callback, parseOptions, standardSchema, wholeNumber, withMethods } from './parse-options.ts';
