import { createHandleOnce, type HandleOnceOptions, retention } from 'handle-once';
import type { Store } from 'handle-once/store';
import { expectTypeOf, test } from 'vitest';

declare const store: Store;

test('a preset is options of createHandleOnce', () => {
  expectTypeOf(retention.webhook).toExtend<Partial<HandleOnceOptions>>();
  expectTypeOf(retention.webhook.succeededRetentionMs).toEqualTypeOf<604_800_000>();
  createHandleOnce({ store, scope: 'hooks', ...retention.webhook });
  createHandleOnce({ store, scope: 'hooks', ...retention.payment, failedRetentionMs: 1_000 });
});

test('there are four, and they are readonly', () => {
  expectTypeOf<keyof typeof retention>().toEqualTypeOf<'payment' | 'signUp' | 'webhook' | 'job'>();
  // @ts-expect-error -- readonly
  retention.job = retention.webhook;
  // @ts-expect-error -- readonly
  retention.job.failedRetentionMs = 1;
});
