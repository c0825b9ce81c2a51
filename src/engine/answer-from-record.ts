import { PayloadMismatchError } from '../words/errors.ts';
import { EventError } from '../reporting/event-error.ts';
import type { JsonForm } from '../words/json-form.ts';
import type { Failed, Outcome, Pending, Succeeded } from '../words/outcome.ts';
import type { ClaimReply, LookupReply } from '../store/store.ts';
import { attemptsExhausted, deathsExhausted } from '../payload/stored-error.ts';
import { type DecodeRecord, decoderOf } from './decode-record.ts';
import { endOf, type Engine } from './engine.ts';

/** An outcome that no handler of this call has had a part in. */
type OnRecord<R> =
  Succeeded<R> | Failed | (Pending & { readonly reason: 'in-flight' | 'released' | 'suspect' });

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
      : outcomeOnRecord<R>(reply, decoderOf(engine, message, attempts));
  if (outcome.state === 'pending') {
    const { reason, retryAfterMs } = outcome;
    const type = reason === 'released' ? 'backing-off' : reason;
    events.emit({ type, ...endOf(engine, message, attempts, 'pending'), retryAfterMs });
  } else if (outcome.state === 'failed' && !outcome.replayed) {
    const { reason, error } = outcome;
    const end = endOf(engine, message, attempts, 'failed');
    events.emit({ type: 'failed', ...end, reason, error: new EventError(error) });
  } else {
    events.emit({ type: 'replayed', ...endOf(engine, message, attempts, outcome.state) });
  }
  return outcome;
}

/** The outcome of what is on record: that of a duplicate, and no event is emitted. */
export function outcomeOnRecord<R>(reply: LookupReply, decode: DecodeRecord): OnRecord<R> {
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
  const base = { state: 'succeeded', replayed: true, attempts } as const;
  if (resultOmitted !== null) return { ...base, result: undefined, resultOmitted };
  return { ...base, result: decode.result(result) as JsonForm<R> };
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
