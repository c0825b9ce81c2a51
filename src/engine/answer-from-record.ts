import { DamagedRecordError, InvalidOptionsError, PayloadMismatchError } from '../words/errors.ts';
import { EventError } from '../reporting/event-error.ts';
import type { JsonForm } from '../words/json-form.ts';
import type { Failed, Outcome, Pending, StoredError, Succeeded } from '../words/outcome.ts';
import type { ClaimReply, LookupReply } from '../store/store.ts';
import { attemptsExhausted, deathsExhausted, isStoredError } from '../payload/stored-error.ts';
import { workerOf } from '../lib/worker-id.ts';
import { endOf, type Engine } from './engine.ts';
import { checkKey } from '../options/key.ts';

/** An outcome without a run of the handler in this call. */
type OnRecord<R> =
  | Succeeded<R>
  | Failed
  | (Pending & { readonly reason: 'in-flight' | 'released' | 'suspect' });

/**
 * Answers a delivery from the record, without running anything. Throws `PayloadMismatchError`, and `DamagedRecordError`
 * where the record cannot be read.
 */
export function answerFromRecord<R>(
  engine: Engine,
  key: string,
  reply: Exclude<ClaimReply, { kind: 'claimed' }>,
  startedAt: number,
): Outcome<R> {
  const { events, settings } = engine;
  const message = { key, startedAt };
  if (reply.kind === 'mismatch') {
    events.emit({ type: 'mismatch', ...endOf(engine, message, 0, 'pending') });
    throw new PayloadMismatchError(settings.scope, key);
  }
  const { attempts } = reply;
  const outcome: OnRecord<R> =
    reply.kind === 'suspect'
      ? { state: 'pending', reason: 'suspect', attempts, retryAfterMs: engine.suspects.reserveTurn() }
      : claimedOutcome<R>(engine, message, reply);
  if (outcome.state === 'pending') {
    const { reason, retryAfterMs } = outcome;
    const type = reason === 'released' ? 'backing-off' : reason;
    events.emit({ type, ...endOf(engine, message, attempts, 'pending'), retryAfterMs });
  } else if (outcome.state === 'failed' && !outcome.replayed) {
    const { reason, error } = outcome;
    const end = endOf(engine, message, attempts, 'failed');
    const from =
      reply.kind === 'failed' && reply.deadToken !== undefined ? workerOf(reply.deadToken) : undefined;
    events.emit({
      type: 'failed',
      ...end,
      reason,
      error: new EventError(error),
      ...(from === undefined ? undefined : { from }),
    });
  } else {
    events.emit({ type: 'replayed', ...endOf(engine, message, attempts, outcome.state) });
  }
  return outcome;
}

/** The outcome that a duplicate gets. A damaged record ends the call. */
function claimedOutcome<R>(
  engine: Engine,
  message: { readonly key: string; readonly startedAt: number },
  reply: LookupReply,
): OnRecord<R> {
  try {
    return outcomeOnRecord<R>(reply, decoderOf(engine.settings.scope, message.key));
  } catch (error) {
    const end = endOf(engine, message, reply.attempts, 'pending');
    engine.events.emit({ type: 'store-error', ...end, verb: 'claim', error });
    throw error;
  }
}

/** Emits no event. */
function outcomeOnRecord<R>(reply: LookupReply, decode: DecodeRecord): OnRecord<R> {
  const { attempts } = reply;
  switch (reply.kind) {
    case 'succeeded':
      return succeeded(reply, decode);
    case 'failed':
      return failed(reply, decode);
    case 'released': {
      const { retryAfterMs, error } = reply;
      const pending = { state: 'pending', reason: 'released', attempts, retryAfterMs } as const;
      return error === null ? pending : { ...pending, error: decode.error(error) };
    }
    case 'in-flight':
      return { state: 'pending', reason: 'in-flight', attempts, retryAfterMs: reply.retryAfterMs };
    case 'unreadable':
      return decode.unknownState();
  }
}

function succeeded<R>(
  { attempts, result, resultOmitted }: Extract<LookupReply, { kind: 'succeeded' }>,
  decode: DecodeRecord,
): Succeeded<R> {
  if (resultOmitted !== null)
    return { state: 'succeeded', replayed: true, attempts, result: undefined, resultOmitted };
  return { state: 'succeeded', replayed: true, attempts, result: decode.result(result) as JsonForm<R> };
}

function failed(
  { attempts, reason, replayed, error: json }: Extract<LookupReply, { kind: 'failed' }>,
  decode: DecodeRecord,
): Failed {
  const stored = json === null ? undefined : decode.error(json);
  const error =
    reason === 'deaths-exhausted'
      ? deathsExhausted(attempts, stored)
      : (stored ?? attemptsExhausted(attempts));
  return { state: 'failed', reason, error, replayed, attempts };
}

/** The outcome that is on record, without a claim. Undefined where nothing is. */
export async function lookup(engine: Engine, key: string): Promise<Outcome<unknown> | undefined> {
  const { records, events, settings } = engine;
  const { scope } = settings;
  checkKey('key', key);
  if (records.lookup === undefined) {
    const message = 'has no lookup: give your own store that method, or create handleOnce with sql';
    throw new InvalidOptionsError('lookup', [{ field: 'store', message }]);
  }
  try {
    const reply = await records.lookup(key);
    return reply === undefined ? undefined : outcomeOnRecord(reply, decoderOf(scope, key));
  } catch (error) {
    events.emit({ type: 'store-error', scope, key, verb: 'lookup', error });
    throw error;
  }
}

type DecodeRecord = ReturnType<typeof decoderOf>;

/** Reads records. Throws `DamagedRecordError`: the error of the parser quotes the text. */
function decoderOf(scope: string, key: string) {
  function decoded(column: 'result' | 'error', json: string, isRight: (value: unknown) => boolean): unknown {
    try {
      const value: unknown = JSON.parse(json);
      if (isRight(value)) return value;
    } catch {
      // Thrown below, without the text.
    }
    throw new DamagedRecordError(scope, key, column);
  }

  return {
    result: (json: string | null): unknown =>
      json === null ? undefined : decoded('result', json, () => true),
    error: (json: string) => decoded('error', json, isStoredError) as StoredError,
    unknownState: (): never => {
      throw new DamagedRecordError(scope, key, 'state');
    },
  };
}
