import * as z from 'zod/mini';
import { lazily, parseOptions } from '../../src/adapter-kit.ts';
import { type PlainHeaders, toPlainHeaders, type WebhookHeaders } from './headers.ts';

/** A delivery as it was received. */
export interface WebhookDelivery {
  /** Of the request; names in any case. */
  readonly headers: WebhookHeaders;
  /**
   * The body as it came over the wire, text or bytes: never a parsed value, because signatures are computed over the
   * bytes.
   */
  readonly body: string | Uint8Array;
}

/** A delivery, in the form that the functions in the options get. */
export interface ReceivedWebhook {
  /** By name in lower case. */
  readonly headers: PlainHeaders;
  /** As it came over the wire. */
  readonly body: Buffer;
}

/** One for a function of the user's, which may change it: what is verified must be what is handled. */
export function copyOf({ headers, body }: ReceivedWebhook): ReceivedWebhook {
  return { headers: { ...headers }, body: Buffer.from(body) };
}

/**
 * A copy of the bytes, whether they come as text or as bytes: the caller may use its buffer again. Throws
 * `InvalidOptionsError` on what is no delivery.
 */
export function toReceived(subject: string, delivery: WebhookDelivery): ReceivedWebhook {
  return parseOptions(subject, deliverySchema(), delivery);
}

const deliverySchema = lazily(() =>
  z.object(
    {
      headers: z.pipe(
        z.unknown(),
        z.transform((headers, context): PlainHeaders => {
          const plain = toPlainHeaders(headers);
          if (plain !== undefined) return plain;
          context.issues.push({
            code: 'custom',
            input: headers,
            message:
              'must be Headers, an object of texts or lists of texts by name, or [name, value] entries',
          });
          return z.NEVER;
        }),
      ),
      body: z.pipe(
        z.custom<string | Uint8Array>((body) => typeof body === 'string' || body instanceof Uint8Array, {
          error:
            'must be the raw body, as text or bytes (a Buffer or Uint8Array); a parsed one cannot be verified, ' +
            'so read the request before any JSON middleware does. Of a Fetch Request pass ' +
            '{ headers: request.headers, body: await request.text() }',
        }),
        z.transform((body) => Buffer.from(body as Uint8Array)),
      ),
    },
    { error: 'the delivery must be { headers, body }' },
  ),
);
