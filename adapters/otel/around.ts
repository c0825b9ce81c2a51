import { context, type Span, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';
import type { Around } from '../../src/index.ts';
import { attemptContext, startConsumer } from './consumer-context.ts';
import { startSpan } from './span.ts';

/** A span around each attempt. */
export function createAround(tracer: Tracer): Around {
  const around: Around = async function around(attempt, run) {
    const parent = attemptContext();
    const span = startSpan(tracer, parent, attempt);
    try {
      return await context.with(trace.setSpan(parent, span), run);
    } catch (error) {
      tellError(span, error);
      throw error;
    } finally {
      span.end();
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
