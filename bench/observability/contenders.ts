import { context, propagation } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, SimpleSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { OpenTelemetryOptions } from 'handle-once/otel';
import { built } from '../built.ts';

/** What of a process is seen, and whether something else in it enters contexts. */
const SEEN = {
  off: { metrics: false, spans: false, contexts: false },
  metrics: { metrics: true, spans: false, contexts: false },
  'off, beside other spans': { metrics: false, spans: false, contexts: true },
  'metrics, beside other spans': { metrics: true, spans: false, contexts: true },
  'metrics and spans': { metrics: true, spans: true, contexts: true },
} as const;

export type Name = keyof typeof SEEN;

export const NAMES = Object.keys(SEEN) as Name[];

/** The same process without metrics. Undefined for one that has none. */
export function comparedWith(name: Name): Name | undefined {
  const { metrics, contexts } = SEEN[name];
  return metrics
    ? NAMES.find((other) => !SEEN[other].metrics && SEEN[other].contexts === contexts)
    : undefined;
}

/** Handles a message of a broker in memory. */
export type Handle = (key: string) => Promise<unknown>;

const TRACE_PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const SOURCE = {
  system: 'kafka',
  destination: 'orders',
  header: (name: string) => (name === 'traceparent' ? TRACE_PARENT : undefined),
};

/** It is never read: the time to export metrics is not part of what is measured. */
class IdleReader extends MetricReader {
  protected onForceFlush(): Promise<void> {
    return Promise.resolve();
  }

  protected onShutdown(): Promise<void> {
    return Promise.resolve();
  }
}

const DROPPED: SpanExporter = {
  export(_, done) {
    done({ code: ExportResultCode.SUCCESS });
  },
  shutdown: () => Promise.resolve(),
};

/**
 * A way to make handlers, each with an empty store. To be called with one name in a process: channels that lose their
 * subscribers again are slower from then on.
 */
export async function contender(name: Name): Promise<() => Handle> {
  const { metrics, spans, contexts } = SEEN[name];
  const [{ createHandleOnce }, { onceEach }, { openTelemetry }, { createMemoryStore }] = await Promise.all([
    built.core(),
    built.adapter(),
    built.otel(),
    built.testing(),
  ]);
  if (contexts) enterContexts();
  const { around } = metrics ? openTelemetry(providers(spans)) : {};
  return () => {
    const store = createMemoryStore();
    const handleOnce = createHandleOnce({ store, scope: 'bench', around: spans ? around : undefined });
    return onceEach(
      {
        handleOnce,
        key: (id: string) => id,
        body: () => '{}',
        acknowledge: () => undefined,
        source: () => SOURCE,
        onFailed: 'keep',
      },
      () => 1,
    );
  };
}

function providers(spans: boolean): OpenTelemetryOptions {
  const meterProvider = new MeterProvider({ readers: [new IdleReader()] });
  if (!spans) return { meterProvider };
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(DROPPED)] });
  return { meterProvider, tracerProvider };
}

/** As instrumentations do. On Node 20 it slows every promise of its process from the first context on. */
function enterContexts(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  context.with(context.active(), () => undefined);
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
}
