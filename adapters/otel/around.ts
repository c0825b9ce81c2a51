import { context, type Span, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';
import { isError } from '../../src/adapter-kit.ts';
import type { Around } from '../../src/index.ts';
import { attemptContext, startConsumer } from './consumer-context.ts';
import { startSpan } from './span.ts';

/** A span around each attempt. */
export function createAround(tracer: Tracer): Around {
  const around: Around = function around(attempt, run) {
    const parent = attemptContext();
    const span = startSpan(tracer, parent, attempt);
    return context.with(trace.setSpan(parent, span), run).then(
      () => {
        span.end();
      },
      (error: unknown) => {
        tellError(span, error);
        span.end();
        throw error;
      },
    );
  };

  return Object.assign(around, { consumer: startConsumer });
}

function tellError(span: Span, error: unknown): void {
  if (!isError(error)) {
    span.setAttribute('error.type', '_OTHER').setStatus({ code: SpanStatusCode.ERROR });
    return;
  }
  span.setAttribute('error.type', error.name).recordException(error);
  span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
}
