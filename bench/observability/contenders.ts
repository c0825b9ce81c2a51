import { context, propagation, type TracerProvider } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, SimpleSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Around } from 'handle-once';
import { built } from '../built.ts';

export const OFF = 'off';
const METRICS = 'metrics';
const SPANS = 'metrics and spans';

export const NAMES: readonly string[] = [OFF, METRICS, SPANS];

/** A process that handles messages of a broker in memory, and is seen so far. */
export interface Contender {
  readonly name: string;
  readonly start: () => {
    readonly handle: (key: string) => Promise<unknown>;
    readonly stop: () => Promise<void>;
  };
}

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

export async function contenders(): Promise<Contender[]> {
  const [{ createHandleOnce }, { onceEach }, { openTelemetry }, { createMemoryStore }] = await Promise.all([
    built.core(),
    built.adapter(),
    built.otel(),
    built.testing(),
  ]);
  // On Node 20 it slows every promise of its process from its first context on: that is no part of what is measured.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  context.with(context.active(), () => undefined);
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());

  function handling(around: Around | undefined): (key: string) => Promise<unknown> {
    const handleOnce = createHandleOnce({ store: createMemoryStore(), scope: 'bench', around });
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
  }

  function seen(name: string, tracerProvider?: TracerProvider): Contender {
    return {
      name,
      start() {
        const meterProvider = new MeterProvider({ readers: [new IdleReader()] });
        const { around, stop } = openTelemetry({ meterProvider, tracerProvider });
        return {
          handle: handling(tracerProvider && around),
          async stop() {
            stop();
            await meterProvider.shutdown();
          },
        };
      },
    };
  }

  return [
    {
      name: OFF,
      start: () => ({ handle: handling(undefined), stop: () => Promise.resolve() }),
    },
    seen(METRICS),
    seen(SPANS, new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(DROPPED)] })),
  ];
}
