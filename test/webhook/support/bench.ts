import { createHandleOnce } from 'handle-once';
import type { Store } from 'handle-once/store';
import { createMemoryStore } from 'handle-once/testing';
import {
  type HandleWebhook,
  type WebhookAttempt,
  type WebhookDelivery,
  type WebhookEvent,
  onceEachWebhook,
} from 'handle-once/webhook';
import type { CommonWebhookOptions, WebhookSource } from '../../../adapters/webhook/options.ts';

/** A wrapped handler, and what happened to it. */
export interface Bench {
  readonly handleWebhook: HandleWebhook<unknown>;
  readonly runs: { readonly payload: unknown; readonly attempt: WebhookAttempt }[];
  readonly events: WebhookEvent[];
  readonly store: Store;
}

type Options = Partial<Omit<CommonWebhookOptions<undefined, unknown>, 'onEvent'>> & {
  readonly of?: WebhookSource;
  readonly store?: Store;
  readonly handler?: (payload: unknown, attempt: WebhookAttempt) => unknown;
};

export function bench(options: Options = {}): Bench {
  const { of = { source: 'github' }, store = createMemoryStore(), handler = () => 'done', ...rest } = options;
  const runs: Bench['runs'] = [];
  const events: WebhookEvent[] = [];
  const handleWebhook = onceEachWebhook<unknown>(
    {
      handleOnce: createHandleOnce({ store, scope: 'hooks', backoff: { baseMs: 0, maxMs: 0 } }),
      verify: 'already-verified',
      onEvent: (event) => events.push(event),
      ...rest,
      ...of,
    },
    (payload, attempt) => {
      runs.push({ payload, attempt });
      return handler(payload, attempt);
    },
  );
  return { handleWebhook, runs, events, store };
}

export function githubDelivery(
  id: string,
  body: WebhookDelivery['body'] = '{"action":"opened"}',
): WebhookDelivery {
  return { headers: { 'X-GitHub-Delivery': id, 'X-GitHub-Event': 'issues' }, body };
}
