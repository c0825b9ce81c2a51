import type { StandardSchemaV1 } from '@standard-schema/spec';
import {
  type EventSink,
  failureFacts,
  type FingerprintOptions,
  type Handled,
  handleDelivery,
  replayedState,
} from '../../src/adapter-kit.ts';
import type { Calls, Handler, Outcome, ParseOption } from '../../src/index.ts';
import { dispositionOf, type OnFailed, type SendDeadLetter } from './disposition.ts';
import type { LambdaRecordEvent } from './events.ts';
import type { Verdict } from './run-batch.ts';

/** One record, and how it is handled. */
export interface Job<Id, Compared> {
  readonly scope: string;
  readonly call: Calls<unknown[]>;
  readonly itemIdentifier: Id;
  readonly key: () => string | undefined;
  /** What is compared with the record's. */
  readonly payload: Compared;
  readonly fingerprint: FingerprintOptions<Compared>;
  readonly parse: () => unknown;
  readonly schema: StandardSchemaV1 | undefined;
  readonly handler: Handler<unknown, unknown, unknown[]>;
  readonly onFailed: OnFailed;
  readonly events: EventSink<LambdaRecordEvent<Id>>;
}

/** Handles one record and does what its outcome asks for. It never throws. */
export async function processRecord<Id, Compared>(
  job: Job<Id, Compared>,
  signal: AbortSignal,
): Promise<Verdict> {
  const { events, itemIdentifier, onFailed } = job;
  const { key, handled } = await handleDelivery(job.key, (found) => handle(job, found, signal));
  const state = replayedState(handled);
  if (state !== undefined) events.emit({ type: 'replayed', itemIdentifier, key, state });
  const disposition = dispositionOf(handled, onFailed);
  switch (disposition.action) {
    case 'settle':
      return { settled: true, key };
    case 'report': {
      const error = 'thrown' in handled ? { error: handled.thrown } : {};
      return { settled: false, key, reason: disposition.reason, ...error };
    }
    case 'dead-letter':
      return await deadLetter(job, key, handled, disposition.send);
  }
}

function handle<Id, Compared>(
  job: Job<Id, Compared>,
  key: string,
  signal: AbortSignal,
): Promise<Outcome<unknown>> {
  const { call, payload, handler, schema, parse, fingerprint } = job;
  const how: ParseOption<Compared, unknown> = schema === undefined ? { parse } : { parse, ...{ schema } };
  return call(key, payload, handler, { ...how, ...fingerprint, signal });
}

async function deadLetter<Id, Compared>(
  { scope, itemIdentifier, events }: Job<Id, Compared>,
  key: string,
  handled: Handled<unknown>,
  send: SendDeadLetter,
): Promise<Verdict> {
  try {
    await send({ scope, key, ...failureFacts(handled) });
  } catch (error) {
    events.emit({ type: 'dead-letter-error', itemIdentifier, key, error });
    return { settled: false, key, reason: 'dead-letter-refused', error };
  }
  events.emit({ type: 'dead-lettered', itemIdentifier, key });
  return { settled: true, key };
}
