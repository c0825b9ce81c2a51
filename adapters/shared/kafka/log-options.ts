import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod/mini';
import type { AnyHandleOnce } from '../../../src/index.ts';
import {
  type FingerprintOptions,
  callback,
  derivedScopeFault,
  fingerprintFields,
  hasFingerprintChoice,
  lazily,
  checkConsumerOptions,
} from '../../../src/adapter-kit.ts';
import type { LogKey } from './log-identity.ts';

const groupId = lazily(() =>
  z.string({ error: 'must be the id of the consumer group' }).check(
    z.minLength(1, { error: 'must not be empty', abort: true }),
    z.refine((group) => group.isWellFormed(), {
      error: 'must not contain a lone surrogate (half of a UTF-16 pair)',
      abort: true,
    }),
  ),
);

/** Options that consumers of a log have in common. */
export function logFields<Message>() {
  return {
    groupId: groupId(),
    parse: z.optional(
      callback<(value: Buffer | null, message: Message) => unknown>('a function of the value'),
    ),
    key: z.optional(callback<LogKey<Message>>('a function of the message')),
    ...fingerprintFields<Buffer | null, [message: Message]>(),
  };
}

/** The option `parse` where it is not given: the value as it is, or its JSON for a schema. A tombstone is null. */
export function defaultParse(schema: StandardSchemaV1 | undefined): (value: Buffer | null) => unknown {
  return schema === undefined ? (value) => value : jsonOf;
}

function jsonOf(value: Buffer | null): unknown {
  return value === null ? null : JSON.parse(value.toString('utf8'));
}

interface LogOptions extends FingerprintOptions<never, never> {
  readonly handleOnce: AnyHandleOnce;
  readonly inTransaction: boolean;
  readonly groupId: string;
  readonly schema?: StandardSchemaV1 | undefined;
  readonly parse?: unknown;
  readonly key?: unknown;
}

/** Refuses options of a consumer of a log that are right alone and wrong together. */
export function checkLogOptions(options: LogOptions, context: z.core.$RefinementCtx): void {
  checkConsumerOptions(options, context);
  for (const [field, message] of contradictions(options)) {
    context.addIssue({ code: 'custom', path: [field], message });
  }
}

function* contradictions(options: LogOptions): Generator<[field: string, message: string]> {
  const { handleOnce, groupId, schema, parse } = options;
  const { settings } = handleOnce;
  const fault = derivedScopeFault(settings.scope, { kind: 'kafka', name: groupId });
  if (fault !== undefined) yield ['groupId', fault];
  const chooses = hasFingerprintChoice(options)
    ? 'fingerprint and ignoredFields'
    : hasFingerprintChoice(settings)
      ? 'the fingerprint and ignoredFields of handleOnce'
      : undefined;
  if (options.key === undefined && chooses !== undefined) {
    yield [
      'key',
      `is missing, but ${chooses} need it: without a key, a message is identified by its topic, partition and ` +
        'offset, and only its whole content distinguishes it from a message of a re-created topic',
    ];
  }
  // Values of a log are bytes, which would each fail a schema that was made for what is in them, permanently.
  if (settings.schema !== undefined && schema === undefined && parse === undefined) {
    yield [
      'schema',
      'is missing, but handleOnce has one: Kafka values are bytes, so pass schema or parse here too',
    ];
  }
}
