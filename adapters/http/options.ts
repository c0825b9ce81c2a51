import {
  type FingerprintOptions,
  derivedScopeFault,
  flag,
  lazily,
  satisfying,
  wholeNumber,
  consumerFields,
  fingerprintFields,
} from '../../src/adapter-kit.ts';
import * as z from 'zod/mini';
import type { AnyHandleOnce, Attempt, DerivedScope, Logger } from '../../src/index.ts';
import type { HttpEvent } from './events.ts';
import { HEADER_NAME, mayBeKept, DEFAULT_KEPT_HEADERS } from './kept-headers.ts';
import type { HttpPrincipal } from './record-key.ts';

/** An attempt at a request. */
export interface HttpAttempt extends Attempt {
  /**
   * What the client sent as `Idempotency-Key`, without its quotes; `attempt.key` has the caller in it too.
   *
   * Undefined for a request that is not recorded, because it has no key or another method: then `attempt.childKey`
   * gives keys that no other request has.
   */
  readonly requestKey: string | undefined;
}

/** Options of both kinds of servers. `More` is what the server gives in addition to the request. */
export interface HttpOptions<Incoming, More extends readonly unknown[] = []> extends FingerprintOptions<
  Buffer,
  [request: Incoming]
> {
  /**
   * Made by `createHandleOnce`. Its `maxDeaths` applies; its `maxAttempts`, `backoff` and `schema` do not: validate in
   * the handler, whose answer is stored. Without its own `timeoutMs` requests have 60,000 ms, or with `inTransaction`
   * its lease.
   */
  readonly handleOnce: AnyHandleOnce;
  /**
   * What the requests have in common, such as `/orders/:id`: the records of a `POST` are in the scope
   * `<scope>>http:POST%20%2Forders%2F%3Aid`. One for each operation, and never the path of a request.
   */
  readonly route: string;
  /**
   * Who sends the request: a user, a tenant or both, from your authentication. The keys of one caller never match those
   * of another. Undefined, or an empty string, means that there is no caller: the answer is 401. What it throws is
   * rethrown, and nothing is recorded. `null` means that all requests come from one caller.
   */
  readonly principal:
    | ((
        request: Incoming,
        ...more: More
      ) => HttpPrincipal | undefined | PromiseLike<HttpPrincipal | undefined>)
    | null;
  /** Methods whose requests are recorded. Others go to the handler unchanged. Default `['POST', 'PATCH']`. */
  readonly methods?: readonly string[] | undefined;
  /** With false, requests without a key go to the handler and are not recorded. Default true: they are answered 400. */
  readonly required?: boolean | undefined;
  /** With true only a key in double quotes is one, as in the draft. Default false. */
  readonly strict?: boolean | undefined;
  /** Milliseconds that a duplicate waits for the request in flight, to get the same answer. Default 0. */
  readonly waitMs?: number | undefined;
  /** The status that answers a duplicate of a request in flight. Default 409. */
  readonly inFlightStatus?: 202 | 409 | undefined;
  /** Seconds that `Retry-After` asks for while a request is in flight, or the store is down. Default 1. */
  readonly retryAfterSeconds?: number | undefined;
  /** Headers of the response that a replay has too, instead of the default ones. `Content-Type` is always one. */
  readonly keptHeaders?: readonly string[] | undefined;
  /** The largest body of a request, in bytes: a larger one is answered 413. Default 1,048,576. */
  readonly maxRequestBytes?: number | undefined;
  /**
   * URL, without a fragment, of your API's documentation of idempotency keys: errors link to it. Default: the draft's.
   */
  readonly docs?: string | undefined;
  /**
   * JSON pointers to the members of the body that a retry may have changed, such as `/sentAt`. The rest must be the
   * same under one key, or it is a mismatch. Default: none, and the body must be the same byte for byte.
   */
  readonly ignoredFields?: readonly string[] | undefined;
  /** Called with each event as it happens, and not awaited. What it throws is reported. */
  readonly onEvent?: ((event: HttpEvent) => unknown) | undefined;
  /** Gets operational problems, as in `createHandleOnce`. Default: the logger of `handleOnce`. */
  readonly logger?: Logger | undefined;
}

const DRAFT = 'https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header-07';

type AnyPrincipal = (...args: never[]) => unknown;

const PRINCIPAL =
  'must be a function of the request that returns who sends it, or null if all requests come from one caller; ' +
  'without it one caller’s key would answer another';

const METHOD = 'must be a method in capitals, such as POST';

const headerName = lazily(() =>
  z.string({ error: 'must be the name of a header' }).check(
    z.regex(HEADER_NAME, { error: 'must be the name of a header', abort: true }),
    z.refine(mayBeKept, {
      error: 'is never stored: it holds credentials, belongs to one connection, or is set for each answer',
    }),
  ),
);

/** Percent-encoded, since it becomes the value of a header. */
const docsUrl = lazily(() =>
  z
    .pipe(
      satisfying<string>(isWebUrl, 'an http or https URL'),
      z.transform((url) => new URL(url).href),
    )
    .check(
      z.refine((href) => !href.includes('#'), {
        error: 'must be a URL without a fragment: each error adds its own; remove the # and what follows',
      }),
    ),
);

/** The fields that both kinds of servers share. */
export const httpFields = lazily(() => {
  const { handleOnce, onEvent, logger } = consumerFields<HttpEvent>();
  return {
    handleOnce,
    route: z
      .string({ error: 'must be the route, such as /orders/:id' })
      .check(z.minLength(1, { error: 'must be the route, such as /orders/:id', abort: true })),
    principal: z.custom<AnyPrincipal | null>((value) => value === null || typeof value === 'function', {
      error: PRINCIPAL,
    }),
    methods: z._default(
      z
        .array(z.string({ error: METHOD }).check(z.regex(/^[A-Z]+$/, { error: METHOD })), {
          error: "must be a list of methods, such as ['POST']",
        })
        .check(z.minLength(1, { error: 'must name at least one method' })),
      ['POST', 'PATCH'],
    ),
    required: z._default(flag(), true),
    strict: z._default(flag(), false),
    waitMs: z._default(wholeNumber('milliseconds', 0, 43_200_000), 0),
    inFlightStatus: z._default(
      satisfying<202 | 409>((value) => value === 202 || value === 409, '202 or 409'),
      409,
    ),
    retryAfterSeconds: z._default(wholeNumber('seconds', 0, 86_400), 1),
    keptHeaders: z._default(z.array(headerName(), { error: 'must be a list of names of headers' }), [
      ...DEFAULT_KEPT_HEADERS,
    ]),
    maxRequestBytes: z._default(wholeNumber('bytes', 0, 1_073_741_824), 1_048_576),
    docs: z._default(docsUrl(), DRAFT),
    ...fingerprintFields<Buffer, [request: never]>(),
    onEvent,
    logger,
  };
});

/** The options as they apply, defaults filled in. */
export type HttpSettings = z.output<z.ZodMiniObject<ReturnType<typeof httpFields>>>;

function isWebUrl(value: unknown): boolean {
  return typeof value === 'string' && /^https?:$/.test(new URL(value).protocol);
}

/** Adds an issue where the scope of an operation would be too long. */
export function checkRoute(
  { handleOnce, methods, route }: Pick<HttpSettings, 'handleOnce' | 'methods' | 'route'>,
  context: z.core.$RefinementCtx,
): void {
  const faults = methods.map((method) =>
    derivedScopeFault(handleOnce.settings.scope, scopeOf(method, route)),
  );
  const message = faults.find((fault) => fault !== undefined);
  if (message !== undefined) context.addIssue({ code: 'custom', path: ['route'], message });
}

/** Below the scope of `handleOnce`, the one of an operation. */
export function scopeOf(method: string, route: string): DerivedScope {
  return { kind: 'http', name: `${method} ${route}` };
}
