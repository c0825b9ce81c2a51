import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Meter } from '@opentelemetry/api';
import { createInstrument } from './instrument.ts';
import { type Message, METRICS } from './table.ts';

/** Records what the channels publish, until the returned function is called. */
export function recordMetrics(meter: Meter): () => void {
  const stops = Object.entries(METRICS).map(([channel, metrics]) => {
    const name = `handle-once:${channel}`;
    const instruments = metrics.map((metric) => createInstrument(meter, metric));

    function listen(message: unknown): void {
      for (const { record } of instruments) record(message as Message);
    }

    subscribe(name, listen);
    return () => {
      unsubscribe(name, listen);
      for (const { stop } of instruments) stop();
    };
  });
  return () => {
    for (const stop of stops) stop();
  };
}
