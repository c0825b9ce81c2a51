import type { HandleOnce } from '../../../src/api/handle-once.ts';
import { createHandleOnceIn } from '../../../src/api/create-handle-once.ts';
import type { HandleOnceEvent } from '../../../src/reporting/events.ts';
import { createHost, type Host } from '../../../src/engine/host.ts';
import type { Store } from '../../../src/store/store.ts';
import type { TransactionalStore } from '../../../src/store/transactional-store.ts';
import type { Transaction } from '../models/transactions.ts';
import type { Life } from '../time/life.ts';
import type { World } from '../world/world.ts';

/** Of the `handleOnce` of every process. */
export const SCOPE = 'simulation';

/** More than a record keeps. */
export const MAX_RESULT_BYTES = 200;

/** Makes the `handleOnce` of a process, as a user would. */
export function createLifesHandleOnce(
  world: World,
  life: Life,
  scope: string,
  store: Store,
  transactional?: TransactionalStore<Transaction>,
): HandleOnce<Transaction> {
  const settings = world.ledger.settingsOf(life);
  const { leaseMs, maxAttempts, maxDeaths, backoffMs, retentionMs, timeoutMs, batching } = settings;
  const options = {
    ...{ store, scope },
    ...{ leaseMs, maxAttempts, maxDeaths, timeoutMs, batching },
    maxResultBytes: MAX_RESULT_BYTES,
    succeededRetentionMs: retentionMs,
    failedRetentionMs: retentionMs,
    backoff: (failures: number) => failures * backoffMs,
    onEvent: (event: HandleOnceEvent) => {
      if (scope === SCOPE)
        world.tell({ type: 'event', life, name: nameOf(event), of: event.key, detail: textOf(event) });
    },
  };
  return createHandleOnceIn(hostOf(life), options, transactional);
}

const hosts = new WeakMap<Life, Host>();

/** Of all scopes in a process. */
function hostOf(life: Life): Host {
  const host = hosts.get(life) ?? createHost(life.clock, life.workerId);
  hosts.set(life, host);
  return host;
}

/** Not every event is an outcome: some only say how long a caller has waited. */
function nameOf(event: HandleOnceEvent): string {
  return event.type === 'released' && event.interrupted === true ? 'interrupted' : event.type;
}

function textOf(event: HandleOnceEvent): string {
  if (event.type === 'failed') return event.reason;
  if (event.type === 'released') return `again in ${Math.round(event.retryAfterMs)} ms`;
  return event.type === 'store-error' ? `${event.verb}: ${event.error.message}` : '';
}
