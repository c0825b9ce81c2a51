import { instrumentWith } from './support/instrumentations.ts';
import { SpanKind } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { describe, expect, test } from 'vitest';
import { consume } from '../sqs-consumer/support/consume.ts';
import { type Setup, useFixture } from '../sqs/support/fixture.ts';
import { type Telemetry, telemetry, useContexts } from './support/in-memory.ts';

useContexts();
const { client, setup } = useFixture('fauxqs');

const BODIES = ['1', '2', '3'];

const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId;
const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId;

interface Bench extends Telemetry {
  readonly queue: Setup;
  readonly handler: (body: unknown) => Promise<void>;
}

/** A queue with messages that were sent inside a span. */
async function bench(): Promise<Bench> {
  const observed = telemetry();
  instrumentWith(observed.tracerProvider);
  const queue = await setup({}, { around: observed.around });
  await observed.tracer.startActiveSpan('checkout', async (checkout) => {
    for (const body of BODIES) await queue.send(body);
    checkout.end();
  });
  return {
    ...observed,
    queue,
    async handler(body) {
      await Promise.resolve();
      observed.tracer.startSpan(`inside ${String(body)}`).end();
    },
  };
}

function expectOneSpanEach({ named, ended, queue }: Bench): void {
  const name = queue.queueUrl.slice(queue.queueUrl.lastIndexOf('/') + 1);
  const sent = named(`${name} send`);
  expect(sent.map(parentOf)).toEqual(BODIES.map(() => idOf(named('checkout')[0])));

  const processed = ended().filter(({ attributes }) => attributes['messaging.operation.type'] === 'process');
  expect(processed.map((span) => [span.name, span.kind])).toEqual(
    BODIES.map(() => [`process ${name}`, SpanKind.CONSUMER]),
  );
  const linked = processed.map(({ links }) => links.map(({ context }) => context.spanId));
  expect(linked.flat().toSorted()).toEqual(sent.map(idOf).toSorted());
  const inside = BODIES.flatMap((body) => named(`inside ${body}`));
  expect(inside.map(parentOf).toSorted()).toEqual(processed.map(idOf).toSorted());
  // The instrumentation has one for each receive, and no other of a message.
  const consumers = ended().filter(({ kind }) => kind === SpanKind.CONSUMER);
  expect(new Set(consumers.map((span) => span.name))).toEqual(
    new Set([`${name} receive`, `process ${name}`]),
  );
}

describe('With the instrumentation of the AWS SDK each message has one consumer span, linked to its producer,', () => {
  test('in a worker', async () => {
    const bed = await bench();
    await bed.queue.startWorker({ handler: bed.handler });
    await bed.queue.empty();
    expectOneSpanEach(bed);
  });

  test('in a consumer of sqs-consumer', async () => {
    const bed = await bench();
    const { queueUrl, handleOnce } = bed.queue;
    const settings = { queueUrl, waitTimeSeconds: 0, batchSize: 10 };
    const { ofType } = consume('handleMessage', client, { settings, handleOnce }, bed.handler);
    await expect.poll(() => ofType('acknowledged')).toHaveLength(BODIES.length);
    expectOneSpanEach(bed);
  });
});
