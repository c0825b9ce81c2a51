import type { MessageSource } from '../words/around.ts';
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
import { type HandlerRequest, handlerWork, type Work } from './handler-work.ts';
import { HeldClaim } from './held-claim.ts';
import { NotStartedError } from '../words/not-started-error.ts';
import { runAround } from './run-around.ts';
import { aborted, claimPatiently } from './claim-patiently.ts';

/** One delivery of a message. */
export interface HandleRequest<Result, Extra extends readonly unknown[]>
  extends FingerprintOptions<never>, HandlerRequest<Result, Extra> {
  readonly key: string;
  /** What has to be the same each time that the key comes. */
  readonly content: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly waitMs?: number | undefined;
  /**
   * Asked once the message is claimed. After false, as when an earlier message of its lane is not done, nothing runs
   * and the claim is released, uncounted; so too when the attempt is over by then.
   */
  readonly mayStart?: (() => Promise<boolean>) | undefined;
  /** Where the message came from. Asked only where a hook wants to know. */
  readonly source?: (() => MessageSource) | undefined;
}

/** The engine as adapters use it: claims a message, runs what is ours, and answers from the record what is not. */
export type Handle<Extra extends readonly unknown[]> = <Result>(
  delivery: HandleRequest<Result, Extra>,
) => Promise<Outcome<Result>>;

/** How the work of a claim is run, and its record settled. */
export type RunClaim<Extra extends readonly unknown[]> = <Result>(
  held: HeldClaim,
  work: Work<Result, Extra>,
) => Promise<Outcome<Result>>;

/** `defaultTimeoutMs` applies where neither the call nor the settings have a timeout. */
export function createHandle<Extra extends readonly unknown[]>(
  engine: Engine,
  run: RunClaim<Extra>,
  defaultTimeoutMs?: number,
): Handle<Extra> {
  const { events, settings } = engine;
  const hashOfInstance = fingerprintOf(settings);
  return async function handle<Result>(delivery: HandleRequest<Result, Extra>): Promise<Outcome<Result>> {
    const startedAt = engine.clock.monotonic();
    const { key, content, signal, timeoutMs, waitMs = 0 } = delivery;
    checkKey('key', key);
    const hashOf = hasFingerprintChoice(delivery) ? fingerprintOf(delivery) : hashOfInstance;
    const hash = hashOf(content);
    if (signal?.aborted === true) throw aborted(engine, key, startedAt, signal);
    const claimed = await claimPatiently(engine, key, hash, { waitMs, signal, startedAt });
    const { reply, token, sentAt } = claimed;
    if (reply.kind !== 'claimed') return answerFromRecord<Result>(engine, key, reply, startedAt);
    const { attempts, failures, deadToken } = reply;
    const attempt = { scope: settings.scope, key, attempts };
    if (deadToken === null) events.emit({ type: 'claimed', ...attempt });
    else events.emit({ type: 'taken-over', ...attempt, from: workerOf(deadToken) });
    const limits = { signal, timeoutMs: timeoutMs ?? settings.timeoutMs ?? defaultTimeoutMs };
    const claim = { key, token, attempts, failures, sentAt, startedAt };
    const held = new HeldClaim(engine, claim, limits);
    // Its handler may ignore that it is over, and never end.
    if (claimed.leavePlace !== undefined) held.onOverdue(claimed.leavePlace);
    try {
      const work = hooked(engine, delivery.source, handlerWork(held, delivery));
      return await run(held, unlessDeclined(held, delivery.mayStart, work));
    } finally {
      held.end();
      claimed.leavePlace?.();
    }
  };
}

/** The work inside the hook that the settings have. */
function hooked<Result, Extra extends readonly unknown[]>(
  { events, settings }: Engine,
  source: (() => MessageSource) | undefined,
  work: Work<Result, Extra>,
): Work<Result, Extra> {
  const { around } = settings;
  if (around === undefined) return work;
  return function workInHook(attempt, ...extra) {
    const { scope, key, number } = attempt;
    const beginning = () => ({ scope, key, number, source: source?.() });
    return runAround(events, around, beginning, () => work(attempt, ...extra));
  };
}

function unlessDeclined<Result, Extra extends readonly unknown[]>(
  held: HeldClaim,
  mayStart: (() => Promise<boolean>) | undefined,
  work: Work<Result, Extra>,
): Work<Result, Extra> {
  if (mayStart === undefined) return work;
  return async function workInTurn(attempt, ...extra) {
    if (!(await mayStart())) throw new NotStartedError('its turn has not come');
    // The process may have stood still for longer than the lease.
    if (await held.isOver()) throw new NotStartedError('its attempt was over before its turn came');
    return await work(attempt, ...extra);
  };
}
