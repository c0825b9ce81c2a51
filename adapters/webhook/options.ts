import {
  type AttemptFor,
  type FingerprintOptions,
  callback,
  derivedScopeFault,
  handlerOption,
  jsonPointer,
  lazily,
  NOT_AN_OBJECT,
  type ParsedPayload,
  checkConsumerOptions,
  consumerFields,
  fingerprintFields,
} from '../../src/adapter-kit.ts';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod/mini';
import type { AnyHandleOnce, Attempt, DerivedScope, Logger, RetryOptions } from '../../src/index.ts';
import type { ReceivedWebhook } from './delivery.ts';
import type { WebhookEvent } from './events.ts';
import type { PlainHeaders } from './headers.ts';
import { type IdLocation, providers, type WebhookProvider } from './sources.ts';

/** An attempt at a webhook delivery. */
export interface WebhookAttempt extends Attempt {
  /** Of this delivery, by name in lower case: `attempt.headers['x-github-event']`. */
  readonly headers: PlainHeaders;
}

/** What a handler gets: the output of the schema, here or of `handleOnce`, or else what `parse` returns. */
export type WebhookPayload<Schema, Parsed, Once = unknown> = ParsedPayload<Schema, Parsed, Once>;

/** `Extra` is the transaction, with the option `inTransaction`: `WebhookHandler<Order, [tx: TransactionSql]>`. */
export type WebhookHandler<Payload, Extra extends readonly unknown[] = [], Result = unknown> = (
  payload: Payload,
  attempt: AttemptFor<Extra, WebhookAttempt>,
  ...extra: Extra
) => Result | PromiseLike<Result>;

/** A handler, whatever its payload is. */
export type AnyWebhookHandler<Result> = (
  payload: never,
  attempt: WebhookAttempt,
  ...extra: never[]
) => Result | PromiseLike<Result>;

/**
 * Checks a delivery's signature: true lets it through; anything else, or a throw, refuses it with 401. Throw a
 * `VerifyConfigError` where the fault is not the sender's, such as a secret that is not set: that is answered 500.
 */
export type Verify = (delivery: ReceivedWebhook) => boolean | PromiseLike<boolean>;

/** The sender, and where the id is. */
export type WebhookSource =
  | {
      /** A sender whose ids are known. */
      readonly source: WebhookProvider;
      /**
       * Separates it from others that share the `handleOnce`: its records are in the scope `<scope>>webhook:<name>`.
       * Default: the source. If two endpoints get the same events and both must handle them, give each its own name.
       */
      readonly name?: string | undefined;
    }
  | {
      /** Where any other sender puts its ids. An id must be the same each time that the sender repeats a delivery. */
      readonly source: IdLocation;
      /**
       * Of the sender: its records are in the scope `<scope>>webhook:<name>`, because two senders may use the same ids.
       */
      readonly name: string;
    };

/** What all sources have in common. */
export interface CommonWebhookOptions<
  Schema extends StandardSchemaV1 | undefined,
  Parsed,
  InTransaction extends boolean = false,
>
  extends RetryOptions, FingerprintOptions<Buffer, [delivery: ReceivedWebhook]> {
  /** Made by `createHandleOnce`; `...retention.webhook` is how long its records should stay. */
  readonly handleOnce: AnyHandleOnce;
  /** With true, handlers get a transaction as third argument, and the record commits with it. Default false. */
  readonly inTransaction?: InTransaction | undefined;
  /**
   * Checks the signature, before the id is read: only a verified delivery can claim an id. It gets the headers by name
   * in lower case, and the body's bytes. `'already-verified'` is for a worker behind a receiver that has verified it.
   */
  readonly verify: Verify | 'already-verified';
  /** Any Standard Schema: the handler gets its output; a body that does not fit fails permanently. */
  readonly schema?: Schema | undefined;
  /**
   * Turns the body into a value. What it throws fails the delivery permanently; a `RetryableError` releases it. Default
   * `JSON.parse`.
   */
  readonly parse?: ((body: string) => Parsed) | undefined;
  /**
   * JSON pointers to the members of the body that a redelivery may have changed, such as `/attempt`. The rest must be
   * the same under one id, or it is a mismatch. Default: none, and the body must be the same byte for byte; for Stripe
   * `/pending_webhooks`.
   */
  readonly ignoredFields?: readonly string[] | undefined;
  /** Called with each event as it happens, and not awaited. What it throws is reported. */
  readonly onEvent?: ((event: WebhookEvent) => unknown) | undefined;
  /** Gets operational problems, as in `createHandleOnce`. Default: the logger of `handleOnce`. */
  readonly logger?: Logger | undefined;
}

/** Options of `onceEachWebhook`. */
export type WebhookOptions<
  Schema extends StandardSchemaV1 | undefined,
  Parsed,
  InTransaction extends boolean = false,
> = CommonWebhookOptions<Schema, Parsed, InTransaction> & WebhookSource;

type FindId = (delivery: ReceivedWebhook) => string | undefined;

const PROVIDERS = Object.keys(providers) as WebhookProvider[];
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;

export const source = lazily(() =>
  z.union(
    [
      z.enum(PROVIDERS),
      z.strictObject({
        header: z.string().check(z.regex(HEADER_NAME, { error: 'must be the name of a header' })),
      }),
      z.strictObject({ pointer: jsonPointer() }),
      z.strictObject({ id: z.custom<FindId>((value) => typeof value === 'function') }),
    ],
    {
      error:
        `must be ${PROVIDERS.map((name) => `'${name}'`).join(', ')}, { header: 'x-delivery-id' }, ` +
        `{ pointer: '/data/id' } (a JSON pointer) or { id: (delivery) => string }`,
    },
  ),
);

const NAME = 'must be 1 to 100 letters, digits, dots, hyphens and underscores';

const VERIFY =
  'must be a function of { headers, body } that checks the signature and returns true, ' +
  "or 'already-verified' where that has been done; without it anyone can claim a real id";

export const webhookOptions = lazily(() =>
  z
    .strictObject(
      {
        ...consumerFields<WebhookEvent>(),
        source: source(),
        name: z.optional(
          z.string({ error: NAME }).check(z.regex(/^[\w.-]{1,100}$/, { error: NAME, abort: true })),
        ),
        verify: z.custom<Verify | 'already-verified'>(
          (value: unknown) => typeof value === 'function' || value === 'already-verified',
          { error: VERIFY },
        ),
        parse: z._default(callback<(body: string) => unknown>('a function of the body'), () => JSON.parse),
        ...fingerprintFields<Buffer, [delivery: ReceivedWebhook]>(),
        handler: handlerOption<AnyWebhookHandler<unknown>>('payload, attempt'),
      },
      NOT_AN_OBJECT,
    )
    .check(
      z.refine((options) => typeof options.source === 'string' || options.name !== undefined, {
        path: ['name'],
        error: 'is missing: name the sender, which keeps its ids apart from those of others',
        abort: true,
      }),
      z.superRefine((options, context) => {
        const fault = derivedScopeFault(options.handleOnce.settings.scope, scopeOf(options));
        if (fault !== undefined) context.addIssue({ code: 'custom', path: ['name'], message: fault });
      }),
      z.superRefine(checkConsumerOptions),
    ),
);

/** Below the scope of `handleOnce`, the one of the sender. */
export function scopeOf({ source: sender, name }: Pick<WebhookSource, 'name' | 'source'>): DerivedScope {
  return { kind: 'webhook', name: name ?? (sender as WebhookProvider) };
}
