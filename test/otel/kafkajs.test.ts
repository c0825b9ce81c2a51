import { instrumentWith } from './support/instrumentations.ts';
import { SpanKind } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { describe, expect, test } from 'vitest';
import { numbered, upTo, useFixture } from '../kafka/broker/support/fixture.ts';
import { until } from '../support/until.ts';
import { telemetry, useContexts } from './support/in-memory.ts';

useContexts();
const { kafka, setup } = useFixture();

const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId;
const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId;

describe('With the instrumentation of kafkajs', () => {
  test('each message has one consumer span, active in its handler and linked to its producer', async () => {
    const { around, tracerProvider, tracer, named, ended } = telemetry();
    instrumentWith(tracerProvider);
    const group = await setup({ partitions: 2 }, { around });
    await tracer.startActiveSpan('checkout', async (checkout) => {
      await group.produce(...numbered(5), ...numbered(5, 1, 5));
      checkout.end();
    });
    await group.start(
      async ({ message }) => {
        await Promise.resolve();
        tracer.startSpan(`inside ${String(message.value)}`).end();
      },
      { concurrency: 2 },
    );
    await group.caughtUp();

    const processed = named(`process ${group.topic}`);
    expect(processed.map(({ kind }) => kind)).toEqual(upTo(10).map(() => SpanKind.CONSUMER));
    expect(new Set(processed.map(({ instrumentationScope }) => instrumentationScope.name))).toEqual(
      new Set(['handle-once']),
    );
    // The last span of a fetch ends with it.
    await until(() => named(`poll ${group.topic}`).length > 0);
    const sent = named(`send ${group.topic}`);
    expect(sent).toHaveLength(10);
    expect(sent.map(parentOf)).toEqual(upTo(10).map(() => idOf(named('checkout')[0])));
    const linked = processed.map(({ links }) => links.map(({ context }) => context.spanId));
    expect(linked.flat().toSorted()).toEqual(sent.map(idOf).toSorted());

    const byPlace = ({ attributes }: ReadableSpan) =>
      Number(attributes['messaging.destination.partition.id']) * 5 +
      Number(attributes['messaging.kafka.offset']);
    for (const span of processed) {
      expect(parentOf(named(`inside ${byPlace(span)}`)[0])).toBe(idOf(span));
    }
    // Nothing else of ours or of the client is in the trace of a message.
    const traces = new Set(processed.map((span) => span.spanContext().traceId));
    const names = ended().filter((span) => traces.has(span.spanContext().traceId));
    expect(new Set(names.map(({ name }) => name.split(' ')[0]))).toEqual(
      new Set(['poll', 'process', 'inside']),
    );
  });

  test('a message of a plain eachMessage has that of kafkajs alone, with the attempt inside', async () => {
    const { around, tracerProvider, named } = telemetry();
    instrumentWith(tracerProvider);
    const group = await setup({}, { around });
    await group.produce(...numbered(3));
    const consumer = kafka.consumer({ groupId: kafka.groupId() });
    await consumer.connect();
    await consumer.subscribe({ topics: [group.topic], fromBeginning: true });
    await consumer.run({
      eachMessage: async ({ message }) => {
        await group.handleOnce(message.offset, String(message.value), () => 1);
      },
    });
    await until(() => named(`process ${group.topic}`).length === 3);
    const { scope } = group.handleOnce.settings;
    const attempts = named(`process ${scope}`);
    expect(attempts.map(({ kind }) => kind)).toEqual(upTo(3).map(() => SpanKind.INTERNAL));
    expect(attempts.map(parentOf)).toEqual(named(`process ${group.topic}`).map(idOf));
  });
});
