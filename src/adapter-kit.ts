/** What the adapters share beyond the public face: how options are refused and how events are told. */
export { createEventSink, type Counts, type EventSink } from './event-sink.ts';
export { callback, parseOptions, standardSchema, wholeNumber, withMethods } from './parse-options.ts';
