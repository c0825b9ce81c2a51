import { createRequire } from 'node:module';
import type { TracerProvider } from '@opentelemetry/api';
import { AwsInstrumentation } from '@opentelemetry/instrumentation-aws-sdk';
import { KafkaJsInstrumentation } from '@opentelemetry/instrumentation-kafkajs';

/** To be imported before what it instruments: both hook into `require`. */
const instrumentations = [new KafkaJsInstrumentation(), new AwsInstrumentation()];
// The files of tests import it, which the hook does not see. What it changes is the same for both.
createRequire(import.meta.url)('kafkajs');

/** Where the instrumentations of kafkajs and of the AWS SDK begin their spans from now on. */
export function instrumentWith(tracerProvider: TracerProvider): void {
  for (const one of instrumentations) one.setTracerProvider(tracerProvider);
}
