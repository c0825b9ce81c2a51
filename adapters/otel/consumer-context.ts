import { type Context, context, createContextKey } from '@opentelemetry/api';

/** The key of `suppressTracing` in `@opentelemetry/core`, which tracers and propagators of the SDK look at. */
const SUPPRESSED = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');
const OF_CONSUMER = createContextKey('handle-once consumer');

/**
 * Starts a consumer whose client calls us, with tracing suppressed around its calls. An instrumentation of the client
 * would begin a span for each message of a batch, all from the start to the end of the batch: attempts have spans of
 * their own.
 */
export function startConsumer<Result>(start: () => Promise<Result>): Promise<Result> {
  const active = context.active();
  if (active.getValue(SUPPRESSED) === true) return start();
  return context.with(active.setValue(SUPPRESSED, true).setValue(OF_CONSUMER, true), start);
}

/** The context for an attempt: the active one, without what `startConsumer` has suppressed. */
export function attemptContext(): Context {
  const active = context.active();
  if (active.getValue(OF_CONSUMER) !== true) return active;
  return active.deleteValue(OF_CONSUMER).deleteValue(SUPPRESSED);
}
