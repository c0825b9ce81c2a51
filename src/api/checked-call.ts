import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod/mini';
import { lazily } from '../lib/lazily.ts';
import type { Handler } from '../words/handler.ts';
import type { CallOptions } from './call-options.ts';
import type { Handle } from '../engine/handle.ts';
import { checkFingerprints, fingerprintFields } from '../options/fingerprint-options.ts';
import { handlerOption, isHandler } from '../options/handler-option.ts';
import type { Outcome } from '../words/outcome.ts';
import {
  abortSignal,
  callback,
  NOT_AN_OBJECT,
  parseOptions,
  standardSchema,
  wholeNumber,
} from '../options/parse-options.ts';

/** A call of `handleOnce` with arguments of any type. */
export type AnyCall<Extra extends readonly unknown[]> = <Result>(
  key: string,
  payload: unknown,
  fn: Handler<unknown, Extra, Result>,
  options?: ResolvedCall,
) => Promise<Outcome<Result>>;

interface ResolvedCall extends CallOptions<never> {
  readonly parse?: ((payload: never) => unknown) | undefined;
  readonly schema?: StandardSchemaV1 | undefined;
}

const callOptionsSchema = lazily(() =>
  optionsSchema({ waitMs: z.optional(wholeNumber('milliseconds', 0, 43_200_000)) }),
);

/** Of a batch. */
export const batchOptionsSchema = lazily(() => optionsSchema({}));

const optionsSchema = <More extends z.core.$ZodLooseShape>(more: More) =>
  z
    .strictObject(
      {
        signal: z.optional(abortSignal()),
        timeoutMs: z.optional(wholeNumber('milliseconds', 1, 43_200_000)),
        parse: z.optional(callback<(payload: never) => unknown>('a function of the payload')),
        schema: z.optional(standardSchema()),
        ...fingerprintFields<never>(),
        ...more,
      },
      NOT_AN_OBJECT,
    )
    .check(z.superRefine(checkFingerprints));

const handlerSchema = lazily(() => z.object({ handler: handlerOption('payload, attempt') }));

/** Makes a `handleOnce` function that checks its arguments. */
export function createCall<Extra extends readonly unknown[]>(
  handle: Handle<Extra>,
  schemaOfInstance: StandardSchemaV1 | undefined,
): AnyCall<Extra> {
  return async function handleOnce(key, payload, fn, callOptions) {
    const options = parseCall(fn, callOptions);
    const { schema = schemaOfInstance } = options;
    return await handle({ ...options, key, payload, content: payload, schema, handler: fn });
  };
}

const NO_OPTIONS: ResolvedCall = {};

function parseCall(fn: unknown, options: ResolvedCall | undefined): ResolvedCall {
  if (!isHandler(fn)) parseOptions('handleOnce', handlerSchema(), { handler: fn });
  return options === undefined ? NO_OPTIONS : parseOptions('handleOnce', callOptionsSchema(), options);
}
