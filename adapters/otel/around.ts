import { context, type Meter, type Span, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';
import type { Around } from '../../src/index.ts';
import { attemptContext, startConsumer } from './consumer-context.ts';
import { createInstrument } from './instrument.ts';
import { startSpan } from './span.ts';
import { HANDLER_DURATION } from './table.ts';

/** A span around each attempt, and the duration of its handler. */
export function createAround(tracer: Tracer, meter: Meter): Around {
  const { record } = createInstrument(meter, HANDLER_DURATION);

  const around: Around = async function around(attempt, run) {
    const startedAt = performance.now();
    const parent = attemptContext();
    const span = startSpan(tracer, parent, attempt);
    let outcome = 'returned';
    try {
      return await context.with(trace.setSpan(parent, span), run);
    } catch (error) {
      outcome = 'threw';
      tellError(span, error);
      throw error;
    } finally {
      span.end();
      record({ scope: attempt.scope, outcome, durationMs: performance.now() - startedAt });
    }
  };

  return Object.assign(around, { consumer: startConsumer });
}

function tellError(span: Span, error: unknown): void {
  if (!(error instanceof Error)) {
    span.setAttribute('error.type', '_OTHER').setStatus({ code: SpanStatusCode.ERROR });
    return;
  }
  span.setAttribute('error.type', error.name).recordException(error);
  span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
}
