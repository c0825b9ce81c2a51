import {
  type FingerprintOptions,
  fingerprintOf,
  hasFingerprintChoice,
} from '../options/fingerprint-options.ts';
import { workerOf } from '../lib/worker-id.ts';
import { checkKey } from '../options/key.ts';
import type { Outcome } from '../words/outcome.ts';
import { answerFromRecord } from './answer-from-record.ts';
import type { Engine } from './engine.ts';
import { type HandlerRequest, handlerWork } from './handler-work.ts';
import { HeldClaim } from './held-claim.ts';
import { watchPayload } from './payload-watch.ts';
import { runAlone } from './run-alone.ts';
import { runSeated, type Runs } from './batch/run-seated.ts';
import type { Seat } from './batch/seat.ts';
import { aborted, claimKey } from './claim.ts';

/** One delivery of a message. */
export interface HandleRequest<Result, Extra extends readonly unknown[]>
  extends FingerprintOptions<never>, HandlerRequest<Result, Extra> {
  readonly key: string;
  /** What has to be the same each time that the key comes. */
  readonly content: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly waitMs?: number | undefined;
  /** Its place in a batch, whose `handler` it has then. */
  readonly seat?: Seat | undefined;
}

/** The engine as adapters use it: claims a message, runs what is ours, and answers from the record what is not. */
export type Handle<Extra extends readonly unknown[]> = <Result>(
  delivery: HandleRequest<Result, Extra>,
) => Promise<Outcome<Result>>;

/** Of a message that has another seat of its batch. */
const IN_FLIGHT: Outcome<never> = { state: 'pending', reason: 'in-flight', retryAfterMs: 0, attempts: 0 };

/** `defaultTimeoutMs` applies where neither the call nor the settings have a timeout. */
export function createHandle<Extra extends readonly unknown[]>(
  engine: Engine,
  runs: Runs<Extra>,
  defaultTimeoutMs?: number,
): Handle<Extra> {
  const { events, settings } = engine;
  const hashOfInstance = fingerprintOf(settings);
  const isPartOfInstance = hasFingerprintChoice(settings);
  return async function handle<Result>(delivery: HandleRequest<Result, Extra>): Promise<Outcome<Result>> {
    const startedAt = engine.clock.monotonic();
    const { key, content, signal, timeoutMs, waitMs = 0, seat } = delivery;
    checkKey('key', key);
    const hasChoice = hasFingerprintChoice(delivery);
    const hashOf = hasChoice ? fingerprintOf(delivery) : hashOfInstance;
    const hash = hashOf(content);
    if (signal?.aborted === true) throw aborted(engine, key, startedAt, signal);
    if (seat?.mayClaim(key) === false) return IN_FLIGHT;
    const claimed = await claimKey(engine, key, hash, { waitMs, signal, startedAt });
    const { reply, token, sentAt, repliedMs } = claimed;
    if (reply.kind !== 'claimed') return answerFromRecord<Result>(engine, key, reply, startedAt);
    const { attempts, failures, ageMs, deadToken, steps } = reply;
    const attempt = { scope: settings.scope, key, attempts };
    if (deadToken === null) events.emit({ type: 'claimed', ...attempt });
    else events.emit({ type: 'taken-over', ...attempt, from: workerOf(deadToken) });
    const limits = { signal, timeoutMs: timeoutMs ?? settings.timeoutMs ?? defaultTimeoutMs };
    const claim = { key, token, attempts, failures, ageMs, steps, sentAt, repliedMs, startedAt };
    const held = new HeldClaim(engine, claim, limits);
    // Its handler may ignore that it is over, and never end.
    if (claimed.leaveSlot !== undefined) held.onOverdue(claimed.leaveSlot);
    const known = hasChoice || isPartOfInstance ? undefined : hash;
    const watch = runs.mayRepeat ? watchPayload(content, known) : undefined;
    const createWork = () => handlerWork(held, delivery, watch);
    try {
      if (seat !== undefined) return await runSeated(runs, held, { seat, createWork, limits });
      return await runAlone(runs.alone, held, { createWork, limits });
    } finally {
      held.end();
      claimed.leaveSlot?.();
    }
  };
}
