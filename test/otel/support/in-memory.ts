import { context, propagation, type Tracer } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AggregationTemporality,
  type DataPoint,
  type ExponentialHistogram,
  type Histogram,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { openTelemetry, type OpenTelemetry } from 'handle-once/otel';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

/** Registers what an SDK registers in a process, for the calling file. */
export function useContexts(): void {
  beforeAll(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  });

  afterAll(() => {
    context.disable();
    propagation.disable();
  });
}

/** Spans that are kept. */
export interface Spans {
  readonly tracerProvider: BasicTracerProvider;
  readonly tracer: Tracer;
  readonly ended: () => ReadableSpan[];
  readonly named: (name: string) => ReadableSpan[];
}

function keepSpans(): Spans {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const ended = () => exporter.getFinishedSpans();
  return {
    tracerProvider,
    tracer: tracerProvider.getTracer('test'),
    ended,
    named: (name) => ended().filter((span) => span.name === name),
  };
}

/** What the series of a metric have. */
export type Value = number | Histogram | ExponentialHistogram;

/** `openTelemetry` with exporters in memory, until the test ends. */
export interface Telemetry extends OpenTelemetry, Spans {
  /** The series of a metric, as they are now. */
  readonly metric: (name: string) => Promise<readonly DataPoint<Value>[]>;
}

export function telemetry(): Telemetry {
  const spans = keepSpans();
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const started = openTelemetry({ tracerProvider: spans.tracerProvider, meterProvider });
  onTestFinished(async () => {
    started.stop();
    await meterProvider.shutdown();
  });
  return {
    ...spans,
    ...started,
    async metric(name) {
      await reader.forceFlush();
      const metrics =
        exporter
          .getMetrics()
          .at(-1)
          ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
      return metrics.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? [];
    },
  };
}
