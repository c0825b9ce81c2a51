import { PayloadMismatchError } from '../errors.ts';
import type { Failed, Outcome, Pending, StoredError, Succeeded } from '../outcome.ts';
import { decodeResult } from '../result-codec.ts';
import type { ClaimReply } from '../store/store.ts';
import { attemptsExhausted, deathsExhausted } from '../stored-error.ts';
import type { Engine } from './engine.ts';

type RecordReply = Exclude<ClaimReply, { kind: 'claimed' }>;

/** Answers a delivery from the record, without running anything. Throws `PayloadMismatchError`. */
export function answerFromRecord<R>(engine: Engine, key: string, reply: RecordReply): Outcome<R> {
  const { events, settings } = engine;
  const message = { scope: settings.scope, key };
  switch (reply.kind) {
    case 'mismatch':
      events.emit({ type: 'mismatch', ...message });
      throw new PayloadMismatchError(settings.scope, key);
    case 'succeeded':
      events.emit({ type: 'replayed', ...message, state: 'succeeded', attempts: reply.attempts });
      return succeeded(reply);
    case 'failed': {
      const outcome = failed(reply);
      if (reply.replayed) {
        events.emit({ type: 'replayed', ...message, state: 'failed', attempts: reply.attempts });
      } else {
        const { reason, error, attempts } = outcome;
        events.emit({ type: 'failed', ...message, reason, error, attempts });
      }
      return outcome;
    }
    case 'in-flight': {
      const { attempts, retryAfterMs } = reply;
      events.emit({ type: 'in-flight', ...message, attempts, retryAfterMs });
      return { state: 'pending', reason: 'in-flight', attempts, retryAfterMs };
    }
    case 'suspect': {
      const { attempts } = reply;
      const retryAfterMs = engine.suspects.untilTurn();
      events.emit({ type: 'suspect', ...message, attempts, retryAfterMs });
      return { state: 'pending', reason: 'suspect', attempts, retryAfterMs };
    }
    case 'released': {
      const { attempts, retryAfterMs } = reply;
      events.emit({ type: 'backing-off', ...message, attempts, retryAfterMs });
      return released(reply);
    }
  }
}

function succeeded<R>(reply: Extract<RecordReply, { kind: 'succeeded' }>): Succeeded<R> {
  const { attempts, resultOmitted } = reply;
  const base = { state: 'succeeded', replayed: true, attempts } as const;
  if (resultOmitted !== null) return { ...base, result: undefined, resultOmitted };
  return { ...base, result: decodeResult(reply.result) as R };
}

function failed(reply: Extract<RecordReply, { kind: 'failed' }>): Failed {
  const { attempts, reason, replayed } = reply;
  const stored = reply.error === null ? undefined : (JSON.parse(reply.error) as StoredError);
  const error =
    reason === 'deaths-exhausted'
      ? deathsExhausted(attempts, stored)
      : (stored ?? attemptsExhausted(attempts));
  return { state: 'failed', reason, error, replayed, attempts };
}

function released(reply: Extract<RecordReply, { kind: 'released' }>): Pending {
  const { attempts, retryAfterMs, error } = reply;
  return {
    state: 'pending',
    reason: 'released',
    attempts,
    retryAfterMs,
    ...(error === null ? {} : { error: JSON.parse(error) as StoredError }),
  };
}
