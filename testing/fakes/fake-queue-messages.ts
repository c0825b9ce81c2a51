import { systemClock } from '../../src/lib/clock.ts';

/** A message attribute, as the SDK has it. */
export interface MessageAttribute {
  readonly DataType?: string | undefined;
  readonly StringValue?: string | undefined;
  readonly BinaryValue?: Uint8Array | undefined;
}

export type MessageAttributes = Readonly<Record<string, MessageAttribute>>;

export interface Enqueued {
  readonly messageId: string;
  readonly body: string;
  readonly attributes: MessageAttributes;
  readonly sentAt: number;
  receives: number;
  receiptHandle: string | undefined;
  firstReceivedAt: number | undefined;
  visibleAt: number;
}

export interface QueueSettings {
  readonly visibilityTimeoutSeconds: number;
  readonly maxReceiveCount: number;
  /** Called with a message that has been received too often, in place of another receive. */
  readonly onBuried: (message: Enqueued) => void;
}

/** What is in a queue, by a clock that can be moved. */
export interface QueueMessages {
  add(body: string, attributes: MessageAttributes): Enqueued;
  all(): readonly Enqueued[];
  isVisible(message: Enqueued): boolean;
  /** Makes visible messages invisible, and gives them. */
  take(max: number, visibilityTimeoutSeconds?: number): readonly Enqueued[];
  /** The message that was received last with this receipt handle. */
  heldBy(receiptHandle: string | undefined): Enqueued | undefined;
  remove(message: Enqueued): void;
  hide(message: Enqueued, seconds: number): void;
  advance(milliseconds: number): void;
  /** Resolves at the next change, when a message becomes visible, after that time, or when the signal aborts. */
  changed(withinMs: number, signal?: AbortSignal): Promise<void>;
  now(): number;
}

const LONGEST_TIMER_MS = 2_147_483_647;

export function createQueueMessages(settings: QueueSettings): QueueMessages {
  const messages = new Set<Enqueued>();
  const waiting = new Set<() => void>();
  let advanced = 0;
  let handles = 0;

  const now = (): number => systemClock.monotonic() + advanced;
  const isVisible = (message: Enqueued): boolean => message.visibleAt <= now();

  function tell(): void {
    for (const wake of [...waiting]) wake();
  }

  function received(message: Enqueued, seconds: number): Enqueued {
    handles += 1;
    message.receives += 1;
    message.receiptHandle = `${message.messageId}#${handles}`;
    message.firstReceivedAt ??= systemClock.wall();
    message.visibleAt = now() + seconds * 1_000;
    return message;
  }

  return {
    now,
    isVisible,
    all: () => [...messages],
    add(body, attributes) {
      const message: Enqueued = {
        messageId: systemClock.uuid(),
        body,
        attributes,
        sentAt: systemClock.wall(),
        receives: 0,
        receiptHandle: undefined,
        firstReceivedAt: undefined,
        visibleAt: now(),
      };
      messages.add(message);
      tell();
      return message;
    },
    take(max, seconds = settings.visibilityTimeoutSeconds) {
      const visible = [...messages].filter(isVisible);
      for (const message of visible.filter(({ receives }) => receives >= settings.maxReceiveCount)) {
        messages.delete(message);
        settings.onBuried(message);
        tell();
      }
      const left = visible.filter((message) => messages.has(message)).slice(0, max);
      return left.map((message) => received(message, seconds));
    },
    heldBy: (receiptHandle) => [...messages].find((message) => message.receiptHandle === receiptHandle),
    remove(message) {
      messages.delete(message);
      tell();
    },
    hide(message, seconds) {
      message.visibleAt = now() + seconds * 1_000;
      tell();
    },
    advance(milliseconds) {
      advanced += milliseconds;
      tell();
    },
    changed(withinMs, signal) {
      const invisible = [...messages].filter((message) => !isVisible(message));
      const untilVisible = Math.min(...invisible.map(({ visibleAt }) => visibleAt - now()));
      return new Promise((resolve) => {
        const wake = (): void => {
          waiting.delete(wake);
          systemClock.clearTimer(timer);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const timer = systemClock.setTimer(wake, Math.min(withinMs, untilVisible, LONGEST_TIMER_MS));
        waiting.add(wake);
        signal?.addEventListener('abort', wake);
      });
    },
  };
}
