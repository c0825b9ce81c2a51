import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod/mini';
import { lazily } from '../lib/lazily.ts';
import { guardedBackoff } from '../options/backoff.ts';
import { createBatchCall } from './batch-call.ts';
import { createCall } from './checked-call.ts';
import type { HandleOnce, HandleOnceWithSchema } from './handle-once.ts';
import type { HandleOnceEvent } from '../reporting/events.ts';
import type { Engine } from '../engine/engine.ts';
import { createHandle, type Handle } from '../engine/handle.ts';
import { type Handles, HANDLES } from '../engine/hidden-handles.ts';
import { type Host, thisProcess } from '../engine/host.ts';
import { createLeaseAlarms } from '../engine/lease-alarms.ts';
import { lookup } from '../engine/answer-from-record.ts';
import { runAttempt } from '../engine/run-attempt.ts';
import { runInTransaction } from '../engine/run-in-transaction.ts';
import type { Runs } from '../engine/batch/run-seated.ts';
import { runTogether } from '../engine/batch/run-together.ts';
import { runTogetherInTransaction } from '../engine/batch/run-together-in-transaction.ts';
import { flush, withLogs } from '../history/event-log.ts';
import type { Clock } from '../lib/clock.ts';
import { InvalidOptionsError } from '../words/errors.ts';
import { createEventSink, type EventSink } from '../reporting/event-sink.ts';
import type { HandleOnceSettings } from '../engine/settings.ts';
import { type HandleOnceOptions, type ResolvedOptions, resolveOptions } from './options.ts';
import { NOT_AN_OBJECT, parseOptions } from '../options/parse-options.ts';
import { resolveRetries, retryFields, type RetryOptions } from '../options/retries.ts';
import { type DerivedScope, enteredScope } from '../options/scope.ts';
import { createRecords } from '../store/records.ts';
import { trafficOf } from '../store/traffic.ts';
import type { TransactionalStore } from '../store/transactional-store.ts';

/**
 * Makes a `handleOnce(key, payload, fn)` for one scope. Opens no connection and runs nothing until it is called.
 *
 * Throws `InvalidOptionsError` that names every wrong field.
 *
 * @example
 * ```ts
 * const sql = postgres(databaseUrl);
 * await migrate(sql);
 * const handleOnce = createHandleOnce({ sql, scope: 'billing' });
 * const outcome = await handleOnce(order.orderId, order, async (order, attempt) => {
 *   return await charge(order, { signal: attempt.signal, idempotencyKey: attempt.childKey('charge') });
 * });
 * ```
 */
export function createHandleOnce<Schema extends StandardSchemaV1, Tx = unknown>(
  options: HandleOnceOptions<Tx> & { readonly schema: Schema },
): HandleOnceWithSchema<Schema, Tx>;
export function createHandleOnce<Tx = unknown>(options: HandleOnceOptions<Tx>): HandleOnce<Tx>;
export function createHandleOnce<Tx>(options: HandleOnceOptions<Tx>): HandleOnce<Tx> {
  return createHandleOnceIn(thisProcess, options);
}

/** The same as in another process, for tests and the simulation. Their store can have transactions. */
export function createHandleOnceIn<Tx>(
  host: Host,
  options: HandleOnceOptions<Tx>,
  transactionalStore?: TransactionalStore<Tx>,
): HandleOnce<Tx> {
  const given = resolveOptions(options, host.clock);
  const resolved = transactionalStore === undefined ? given : withTransactions(given, transactionalStore);
  const events = withLogs(createEventSink(resolved, 'core'), resolved.logs);
  return createWith(resolved, events, host);
}

function withTransactions<Tx>(
  resolved: ResolvedOptions<Tx>,
  transactionalStore: TransactionalStore<Tx>,
): ResolvedOptions<Tx> {
  const settings = Object.freeze({ ...resolved.settings, hasTransactions: true });
  return { ...resolved, settings, transactionalStore };
}

function createWith<Tx>(
  resolved: ResolvedOptions<Tx>,
  sink: EventSink<HandleOnceEvent>,
  host: Host,
): HandleOnce<Tx> {
  const { settings, store, client, transactionalStore, backoff } = resolved;
  const { scope, batching } = settings;
  const { clock } = host;
  const events: typeof sink = {
    ...sink,
    complain(code, message) {
      sink.complain(code, message, scope);
    },
  };
  const engine: Engine = {
    ...host,
    settings,
    backoff: guardedBackoff(backoff, events.complain, clock),
    events,
    records: createRecords(
      store,
      { ...settings, mayOwnSuspects: false },
      {
        batching,
        clock,
        traffic: trafficOf(client),
        onTakenBack: (key) => {
          events.emit({ type: 'taken-back', scope, key });
        },
      },
    ),
    leaseAlarms: createLeaseAlarms(settings.leaseMs, clock),
  };
  const handle = createHandle(engine, { alone: runAttempt, together: runTogether, mayRepeat: false });
  const inTransaction = transactionalStore && createTransactional(engine, transactionalStore);
  const handles: Handles = { handle, inTransaction, clock };
  const more = {
    [HANDLES]: handles,
    settings,
    counts: events.counts,
    checkStore: () => checkStore(engine),
    close: () => flush(resolved.logs, clock),
    lookup: (key: string) => lookup(engine, key),
    inTransaction: inTransaction ? callsInTransaction(inTransaction, settings) : withoutClient(),
    batch: createBatchCall(handle, settings, false),
    withRetries: (given: RetryOptions) =>
      createWith({ ...resolved, ...retriesIn(resolved, given, clock) }, sink, host),
    inScope: (scope: string | DerivedScope) =>
      createWith({ ...resolved, settings: settingsInScope(settings, scope) }, sink, host),
  };
  return Object.assign(createCall(handle, settings.schema), more);
}

async function checkStore({ records, events, settings }: Engine): Promise<void> {
  try {
    await records.check();
  } catch (error) {
    events.emit({ type: 'store-error', scope: settings.scope, key: '', verb: 'check', error });
    throw error;
  }
}

/**
 * What settles in a transaction.
 *
 * Its claims do not commit with `synchronous_commit = off`, though the settle would make up for it: a server that
 * crashed and lost a claim would let a second handler start while the first still runs.
 */
function createTransactional<Tx>(engine: Engine, store: TransactionalStore<Tx>): Handle<[Tx]> {
  const { leaseMs } = engine.settings;
  const runs: Runs<[Tx]> = {
    alone: (held, work) => runInTransaction(store, held, work),
    together: (...batch) => runTogetherInTransaction(store, ...batch),
    mayRepeat: true,
  };
  return createHandle(engine, runs, leaseMs);
}

function callsInTransaction<Tx>(handle: Handle<[Tx]>, settings: HandleOnceSettings) {
  return Object.assign(createCall(handle, settings.schema), {
    batch: createBatchCall(handle, settings, true),
  });
}

function withoutClient() {
  function refuse(): Promise<never> {
    const message = 'is missing: your own store has no transactions; create handleOnce with sql';
    return Promise.reject(new InvalidOptionsError('inTransaction', [{ field: 'sql', message }]));
  }

  return Object.assign(refuse, { batch: refuse });
}

function retriesIn(
  { settings, backoff }: Pick<ResolvedOptions<unknown>, 'settings' | 'backoff'>,
  options: RetryOptions,
  clock: Clock,
): Pick<ResolvedOptions<unknown>, 'settings' | 'backoff'> {
  const given = parseOptions('withRetries', retryOptionsSchema(), options);
  const resolved = resolveRetries(given, settings, backoff, clock);
  return {
    settings: Object.freeze({ ...settings, ...resolved.retries, retriesWereChosen: true }),
    backoff: resolved.backoff,
  };
}

const retryOptionsSchema = lazily(() => z.strictObject(retryFields(), NOT_AN_OBJECT));

function settingsInScope(settings: HandleOnceSettings, scope: string | DerivedScope): HandleOnceSettings {
  return Object.freeze({ ...settings, scope: enteredScope(settings.scope, scope) });
}
