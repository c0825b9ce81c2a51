import {
  context,
  type Context,
  createContextKey,
  type Span,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { isError } from '../../src/adapter-kit.ts';
import type { Around } from '../../src/index.ts';
import { endSpan, startSpan } from './span.ts';

/** A span around each attempt. */
export function createAround(tracer: Tracer): Around {
  const around: Around = function around(attempt, run) {
    const parent = attemptContext();
    const span = startSpan(tracer, parent, attempt);
    return context.with(trace.setSpan(parent, span), run).then(
      () => {
        endSpan(span, attempt);
      },
      (error: unknown) => {
        recordError(span, error);
        endSpan(span, attempt);
        throw error;
      },
    );
  };

  return Object.assign(around, { consumer: startConsumer });
}

function recordError(span: Span, error: unknown): void {
  if (!isError(error)) {
    span.setAttribute('error.type', '_OTHER').setStatus({ code: SpanStatusCode.ERROR });
    return;
  }
  span.setAttribute('error.type', error.name).recordException(error);
  span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
}

/** The key of `suppressTracing` in `@opentelemetry/core`, which tracers and propagators of the SDK look at. */
const SUPPRESSED = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');
const OF_CONSUMER = createContextKey('handle-once consumer');

/**
 * Starts a consumer whose client calls us, with tracing suppressed around its calls. An instrumentation of the client
 * would begin a span for each message of a batch, all from the start to the end of the batch: attempts have spans of
 * their own.
 */
function startConsumer<Result>(start: () => Promise<Result>): Promise<Result> {
  const active = context.active();
  if (active.getValue(SUPPRESSED) === true) return start();
  return context.with(active.setValue(SUPPRESSED, true).setValue(OF_CONSUMER, true), start);
}

/** The context for an attempt: the active one, without what `startConsumer` has suppressed. */
function attemptContext(): Context {
  const active = context.active();
  if (active.getValue(OF_CONSUMER) !== true) return active;
  return active.deleteValue(OF_CONSUMER).deleteValue(SUPPRESSED);
}
