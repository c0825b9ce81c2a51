import { PayloadMismatchError } from '../words/errors.ts';
import { EventError } from '../reporting/event-error.ts';
import type { JsonForm } from '../words/json-form.ts';
import type { Failed, Outcome, Pending, Succeeded } from '../words/outcome.ts';
import type { ClaimReply, LookupReply } from '../store/store.ts';
import { attemptsExhausted, deathsExhausted } from '../payload/stored-error.ts';
import { type DecodeRecord, decoderOf } from './decode-record.ts';
import { endOf, type Engine } from './engine.ts';

type RecordReply = Exclude<ClaimReply, { kind: 'claimed' }>;

/**
 * Answers a delivery from the record, without running anything. Throws `PayloadMismatchError`, and `DamagedRecordError`
 * where the record cannot be read.
 */
export function answerFromRecord<R>(
  engine: Engine,
  key: string,
  reply: RecordReply,
  startedAt: number,
): Outcome<R> {
  const { events, settings } = engine;
  const message = { key, startedAt };
  const attempts = reply.kind === 'mismatch' ? 0 : reply.attempts;
  const decode = decoderOf(engine, message, attempts);
  switch (reply.kind) {
    case 'mismatch':
      events.emit({ type: 'mismatch', ...endOf(engine, message, attempts, 'pending') });
      throw new PayloadMismatchError(settings.scope, key);
    case 'succeeded': {
      const outcome = succeeded<R>(reply, decode);
      events.emit({ type: 'replayed', ...endOf(engine, message, attempts, 'succeeded') });
      return outcome;
    }
    case 'failed': {
      const outcome = failed(reply, decode);
      const end = endOf(engine, message, attempts, 'failed');
      const { reason, error } = outcome;
      if (reply.replayed) events.emit({ type: 'replayed', ...end });
      else events.emit({ type: 'failed', ...end, reason, error: new EventError(error) });
      return outcome;
    }
    case 'in-flight': {
      const { retryAfterMs } = reply;
      events.emit({ type: 'in-flight', ...endOf(engine, message, attempts, 'pending'), retryAfterMs });
      return { state: 'pending', reason: 'in-flight', attempts, retryAfterMs };
    }
    case 'suspect': {
      const retryAfterMs = engine.suspects.reserveTurn();
      events.emit({ type: 'suspect', ...endOf(engine, message, attempts, 'pending'), retryAfterMs });
      return { state: 'pending', reason: 'suspect', attempts, retryAfterMs };
    }
    case 'released': {
      const outcome = released(reply, decode);
      const { retryAfterMs } = reply;
      events.emit({ type: 'backing-off', ...endOf(engine, message, attempts, 'pending'), retryAfterMs });
      return outcome;
    }
  }
}

function succeeded<R>(
  { attempts, result, resultOmitted }: Extract<RecordReply, { kind: 'succeeded' }>,
  decode: DecodeRecord,
): Succeeded<R> {
  const base = { state: 'succeeded', replayed: true, attempts } as const;
  if (resultOmitted !== null) return { ...base, result: undefined, resultOmitted };
  return { ...base, result: decode.result(result) as JsonForm<R> };
}

function failed(
  { attempts, reason, replayed, error: json }: Extract<RecordReply, { kind: 'failed' }>,
  decode: DecodeRecord,
): Failed {
  const stored = json === null ? undefined : decode.error(json);
  const error =
    reason === 'deaths-exhausted'
      ? deathsExhausted(attempts, stored)
      : (stored ?? attemptsExhausted(attempts));
  return { state: 'failed', reason, error, replayed, attempts };
}

function released(
  { attempts, retryAfterMs, error }: Extract<RecordReply, { kind: 'released' }>,
  decode: DecodeRecord,
): Pending {
  const pending = { state: 'pending', reason: 'released', attempts, retryAfterMs } as const;
  return error === null ? pending : { ...pending, error: decode.error(error) };
}

/** The outcome of what is on record: that of a duplicate, and no event is emitted. */
export function outcomeOnRecord(reply: LookupReply, decode: DecodeRecord): Outcome<unknown> {
  switch (reply.kind) {
    case 'succeeded':
      return succeeded(reply, decode);
    case 'failed':
      return failed(reply, decode);
    case 'released':
      return released(reply, decode);
    case 'in-flight': {
      const { attempts, retryAfterMs } = reply;
      return { state: 'pending', reason: 'in-flight', attempts, retryAfterMs };
    }
  }
}
