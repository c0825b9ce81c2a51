import type { EventError } from '../../src/index.ts';
import type { WebhookAnswer } from './answer.ts';
import type { WebhookReason } from './reason.ts';

/** What became of a delivery, in one word. May grow in a minor version: a `switch` needs a `default`. */
export type WebhookEventType = 'succeeded' | 'failed' | 'replayed' | WebhookReason;

/** The end of a delivery: each has exactly one. Bodies are never part of it. */
export interface WebhookEvent extends WebhookAnswer {
  /** `succeeded`, `failed` and `replayed` are answered 200. */
  readonly type: WebhookEventType;
  /** Of the record: `<scope>>webhook:<name>`. */
  readonly scope: string;
  /** The delivery's id; undefined if the delivery was refused before its id was read, or has no id. */
  readonly id: string | undefined;
  /** Why it has no outcome. */
  readonly error?: EventError;
}
