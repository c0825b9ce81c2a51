import { type MeterProvider, metrics, trace, type TracerProvider } from '@opentelemetry/api';
import * as z from 'zod/mini';
import {
  NOT_AN_OBJECT,
  lazily,
  markAsReturningAround,
  parseOptions,
  withMethods,
} from '../../src/adapter-kit.ts';
import type { Around } from '../../src/index.ts';
import { createAround } from './around.ts';
import { recordMetrics } from './metrics.ts';

/** Options of `openTelemetry`. */
export interface OpenTelemetryOptions {
  /** Default: the global one. If none is registered, there are no spans. */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Default: the global one, which must be registered before this call. If none is, there are no metrics. */
  readonly meterProvider?: MeterProvider | undefined;
}

/** What `openTelemetry` has begun. */
export interface OpenTelemetry {
  /** For `createHandleOnce`: one span for each attempt, active inside its handler. */
  readonly around: Around;
  /** Ends the metrics. */
  readonly stop: () => void;
}

const NAME = 'handle-once';

const otelOptions = lazily(() =>
  z.strictObject(
    {
      tracerProvider: z.optional(
        withMethods<TracerProvider>(
          ['getTracer'],
          'a tracer provider, which has the method getTracer; leave it out for the global one',
        ),
      ),
      meterProvider: z.optional(
        withMethods<MeterProvider>(
          ['getMeter'],
          'a meter provider, which has the method getMeter; leave it out for the global one',
        ),
      ),
    },
    NOT_AN_OBJECT,
  ),
);

/**
 * Spans of attempts, and metrics of everything that this process does with `handle-once`.
 *
 * A span is named by the semantic conventions of messaging, `process <queue or topic>`, and linked to the context that
 * the producer sent in message attributes or headers. Metrics begin with the call, for all instances of the process:
 * call it once. Payloads, results and keys are in no metric; a span has the key.
 *
 * Throws `InvalidOptionsError` that names every wrong field, before anything is begun.
 *
 * @example
 * ```ts
 * import { createHandleOnce } from 'handle-once';
 * import { openTelemetry } from 'handle-once/otel';
 *
 * const { around } = openTelemetry();
 * const handleOnce = createHandleOnce({ sql, scope: 'billing', around });
 * ```
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): OpenTelemetry {
  const { tracerProvider = trace, meterProvider = metrics } = parseOptions(
    'openTelemetry',
    otelOptions(),
    options,
  );
  return {
    around: createAround(tracerProvider.getTracer(NAME)),
    stop: recordMetrics(meterProvider.getMeter(NAME)),
  };
}

markAsReturningAround(openTelemetry);
