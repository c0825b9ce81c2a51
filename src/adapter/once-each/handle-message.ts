import type { Seat } from '../../engine/batch/seat.ts';
import { InvalidOptionsError, UnhashablePayloadError } from '../../words/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { delay, endsWithin } from '../../lib/wait.ts';
import { nameOfThrown } from '../../payload/stored-error.ts';
import type { EventSink } from '../../reporting/event-sink.ts';
import type { FingerprintOptions } from '../../options/fingerprint-options.ts';
import { refuseAsync, wrongFunction } from '../../options/wrong-function.ts';
import type { MessageSource } from '../../words/around.ts';
import type { Outcome } from '../../words/outcome.ts';
import type { Broker } from './broker.ts';
import { brokerCall } from './broker-call.ts';
import { deliver, type Delivered, handledFacts } from '../deliver.ts';
import { deliverSeated } from '../deliver-seated.ts';
import type { Kernel } from '../kernel.ts';
import type { Delivery } from '../delivery.ts';
import type { Hold } from '../hold.ts';
import type { OnceEachEvent, OnceEachKeptReason } from './events.ts';
import type { DeadLetterDestination, OnceEachHandler } from './options.ts';
import { isWorthWaiting, retryTimeOf } from './retry-time.ts';
import type { TakeSeat } from './seating.ts';
import { type Kept, type Verdict, verdictEvent } from '../verdict.ts';

const DEFAULT_PATIENCE_MS = 300_000;

/** What was done with a message, and why. */
export interface HandledMessage<R> {
  /** `dead-lettered`: acknowledged, with a copy in the dead letters. `kept`: the broker delivers it again. */
  readonly action: 'acknowledged' | 'dead-lettered' | 'kept';
  /** Why it is kept. Undefined when it is not. */
  readonly reason?: OnceEachKeptReason;
  /** What `handleOnce` returned; undefined when it threw. */
  readonly outcome?: Outcome<R>;
  /** What `handleOnce` or the broker threw. */
  readonly error?: unknown;
}

/** What the caller knows about a message. */
export interface MessageOptions {
  /**
   * Interrupts the handler, uncounted, and returns the message; one that has not started is returned at once. In a
   * batch it returns only this message, but aborts the signal of all attempts: if the handler then throws, the other
   * messages are released, uncounted, or, in a transaction, run alone.
   */
  readonly signal?: AbortSignal | undefined;
  /** `Date.now()` of when it was received, if it has waited since: `ackWaitMs` counts from then. Default: now. */
  readonly receivedAt?: number | undefined;
}

interface MessageAdapter<Message, R> extends FingerprintOptions<unknown, [message: Message]> {
  readonly clock: Clock;
  readonly kernel: Kernel;
  readonly broker: Broker<Message>;
  readonly events: EventSink<OnceEachEvent>;
  readonly key: (message: Message) => string | undefined;
  readonly body: (message: Message) => unknown;
  readonly parse?: ((body: never) => unknown) | undefined;
  readonly handler: OnceEachHandler<never, Message, never[], R>;
  readonly onFailed: 'acknowledge' | 'keep' | DeadLetterDestination<Message>;
  readonly source?: ((message: Message) => MessageSource) | undefined;
  readonly patienceMs?: number | undefined;
  /** With the option `batch`. */
  readonly takeSeat?: TakeSeat | undefined;
}

/** Handles one message, then applies its outcome at the broker. It never throws. */
export async function handleMessage<Message, R>(
  adapter: MessageAdapter<Message, R>,
  message: Message,
  { signal, receivedAt = adapter.clock.wall() }: MessageOptions,
): Promise<HandledMessage<R>> {
  const { broker, clock, takeSeat } = adapter;
  const hold = broker.hold(message, Math.max(0, clock.wall() - receivedAt));
  const seat = takeSeat && (await takeSeat(signal));
  if (!hold.isOurs()) {
    seat?.leave(true);
    await endsWithin(hold.end(), LONGEST_END_MS, clock);
    return kept(adapter, { key: '', reason: 'lapsed' });
  }
  const delivered = await deliverPatiently(adapter, message, hold, signal, seat);
  await endsWithin(hold.end(), LONGEST_END_MS, clock);
  return { ...handledFacts(delivered), ...(await applyVerdict(adapter, message, hold, delivered)) };
}

/** For an extension under way. One that hangs must not delay the acknowledgement. */
const LONGEST_END_MS = 1_000;

/** Where the broker cannot deliver again later, the message waits here and is tried again, alone. */
async function deliverPatiently<Message, R>(
  adapter: MessageAdapter<Message, R>,
  message: Message,
  hold: Hold,
  signal: AbortSignal | undefined,
  seat: Seat | undefined,
): Promise<Delivered<R>> {
  const delivery = deliveryOf(adapter, message, hold, signal);
  const { broker, clock, kernel, patienceMs = DEFAULT_PATIENCE_MS } = adapter;
  const until = clock.monotonic() + patienceMs;
  let delivered =
    seat === undefined
      ? await deliver(kernel, delivery)
      : await deliverInBatch(kernel, delivery, message, seat);
  for (;;) {
    if (delivered.acknowledge || broker.retryLater !== undefined || !isWorthWaiting(delivered))
      return delivered;
    const waitMs = retryTimeOf(delivered);
    if (clock.monotonic() + waitMs > until || !hold.isOurs()) return delivered;
    if (!(await delay(clock, waitMs, { signal })) || !hold.isOurs()) return delivered;
    delivered = await deliver(kernel, delivery);
  }
}

async function deliverInBatch<R>(
  kernel: Kernel,
  delivery: Delivery<R>,
  message: unknown,
  seat: Seat,
): Promise<Delivered<R>> {
  const handler = withMessage(seat.handler as Delivery<R>['handler'], message);
  try {
    // It has a lane of its own, which does not end before it.
    return (await deliverSeated(kernel, { ...delivery, handler }, seat)) as Delivered<R>;
  } finally {
    // Nothing waits for what the broker answers.
    seat.leave(true);
  }
}

/** The handler, whose attempts have the message. */
function withMessage<R>(handler: Delivery<R>['handler'], message: unknown): Delivery<R>['handler'] {
  return (payload, attempt, ...extra) => handler(payload, Object.assign(attempt, { message }), ...extra);
}

function deliveryOf<Message, R>(
  adapter: MessageAdapter<Message, R>,
  message: Message,
  hold: Hold,
  signal: AbortSignal | undefined,
): Delivery<R> {
  const { clock, key, parse = defaultParse, handler, source, onFailed, events } = adapter;
  const content = readOnce(() => contentOf(adapter.body, message));
  return {
    key: () => key(message),
    content,
    fingerprint: adapter,
    message,
    parse: () => parse(copyOf(content()) as never),
    handler: withMessage(handler as Delivery<R>['handler'], message),
    signal,
    source: source && (() => source(message)),
    onFailed:
      typeof onFailed === 'string'
        ? onFailed
        : {
            to: onFailed.to,
            mayBeSent: () => hold.isOurs(),
            async send(facts) {
              await brokerCall(clock, () => onFailed.send(message, facts));
              return {};
            },
          },
    emit: events.emit,
  };
}

/** Some bodies can be read only once, such as the next part of a stream. */
function readOnce<T>(read: () => T): () => T {
  let found: { readonly value: T } | undefined;
  return () => (found ??= { value: read() }).value;
}

/** The body, or why there is none: what the function threw can quote the message. */
function contentOf<Message>(body: (message: Message) => unknown, message: Message): unknown {
  let content: unknown;
  try {
    content = body(message);
  } catch (error) {
    if (error instanceof InvalidOptionsError) throw error;
    throw new UnhashablePayloadError(
      `the body function threw (${nameOfThrown(error)}): return the raw content, and move what can fail into parse`,
    );
  }
  refuseAsync('body', content);
  if (content === undefined || typeof content === 'function') {
    throw wrongFunction('body', `must return the content of the message, but returned ${typeof content}`);
  }
  return content;
}

function defaultParse(body: unknown): unknown {
  if (body instanceof Uint8Array) return JSON.parse(Buffer.from(body).toString('utf8'));
  return typeof body === 'string' ? JSON.parse(body) : body;
}

/** A handler may change what it gets, and the message must have the same content when it is tried again here. */
function copyOf(content: unknown): unknown {
  try {
    return isPlain(content) ? structuredClone(content) : content;
  } catch {
    // Too deep, or a cycle.
    return content;
  }
}

/** All of it: a Buffer or another instance inside would be copied as something else. */
function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null)
    return typeof value !== 'function' && typeof value !== 'symbol';
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) return false;
  return Object.values(value).every(isPlain);
}

type Done = Pick<HandledMessage<unknown>, 'action' | 'reason' | 'error'>;

async function applyVerdict<Message>(
  adapter: MessageAdapter<Message, unknown>,
  message: Message,
  hold: Hold,
  verdict: Verdict,
): Promise<Done> {
  const { broker, events } = adapter;
  if (!hold.isOurs()) return kept(adapter, { ...verdict, reason: 'lapsed' });
  if (verdict.acknowledge) {
    const answer = await broker.acknowledge(message, verdict.key);
    if (!answer.done)
      return { ...kept(adapter, { ...verdict, reason: 'broker-error' }), error: answer.error };
    events.emit({ type: 'acknowledged', key: verdict.key });
    return { action: verdict.deadLettered ? 'dead-lettered' : 'acknowledged' };
  }
  if (broker.retryLater === undefined) return kept(adapter, verdict);
  const delayMs = retryTimeOf(verdict);
  const answer = await broker.retryLater(message, delayMs, verdict.key);
  return answer.done
    ? kept(adapter, verdict, delayMs)
    : { ...kept(adapter, { ...verdict, reason: 'broker-error' }), error: answer.error };
}

function kept(
  { events }: Pick<MessageAdapter<never, unknown>, 'events'>,
  why: Pick<Kept<OnceEachKeptReason>, 'key' | 'reason' | 'error'>,
  retryAfterMs?: number,
): { readonly action: 'kept'; readonly reason: OnceEachKeptReason } {
  events.emit({ ...verdictEvent(why), retryAfterMs });
  return { action: 'kept', reason: why.reason };
}
