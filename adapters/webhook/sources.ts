import type { ReceivedWebhook } from './delivery.ts';

/** A sender whose ids are known. */
export type WebhookProvider = 'github' | 'shopify' | 'slack' | 'standard-webhooks' | 'stripe' | 'svix';

/** Where the id is: in a header, in a body of JSON (a JSON pointer, RFC 6901), or where a function finds it. */
export type IdLocation =
  | {
      /** The name of the header, in any case. */
      readonly header: string;
    }
  | {
      /** To a string or a whole number of at most 53 bits: `/data/id`. */
      readonly pointer: string;
    }
  | {
      /** Not async. Without an id, or when it throws, the delivery is answered 400. */
      readonly id: (delivery: ReceivedWebhook) => string | undefined;
    };

/** What is known of a sender. */
export interface Source {
  readonly location: IdLocation;
  /** Members of its JSON bodies that a redelivery under the same id may have changed, as JSON pointers. */
  readonly ignoredFields: readonly string[];
}

export const providers: Readonly<Record<WebhookProvider, Source>> = {
  // The same for each redelivery. It names the event: all hooks and apps that an event goes to get one id.
  github: { location: { header: 'x-github-delivery' }, ignoredFields: [] },
  // Kept by retries. Not X-Shopify-Event-Id, which all topics that one action of a merchant sets off share.
  shopify: { location: { header: 'x-shopify-webhook-id' }, ignoredFields: [] },
  slack: { location: { pointer: '/event_id' }, ignoredFields: [] },
  'standard-webhooks': { location: { header: 'webhook-id' }, ignoredFields: [] },
  // It counts the endpoints that have yet to take the event, so that it falls while the event is repeated.
  stripe: { location: { pointer: '/id' }, ignoredFields: ['/pending_webhooks'] },
  // Svix sends webhook-id too, with the same id.
  svix: { location: { header: 'svix-id' }, ignoredFields: [] },
};

export function sourceOf(source: WebhookProvider | IdLocation): Source {
  return typeof source === 'string' ? providers[source] : { location: source, ignoredFields: [] };
}
