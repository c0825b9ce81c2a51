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

const LONGEST_TIMER_MS = 2_147_483_647;

/** What is in a queue, by a clock that can be moved. */
export function createQueueMessages(settings: QueueSettings) {
  const messages = new Set<Enqueued>();
  const waiting = new Set<() => void>();
  let advanced = 0;
  let handles = 0;

  const now = (): number => systemClock.monotonic() + advanced;
  const isVisible = (message: Enqueued): boolean => message.visibleAt <= now();

  function wakeAll(): void {
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
    add(body: string, attributes: MessageAttributes): Enqueued {
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
      wakeAll();
      return message;
    },
    /** Makes visible messages invisible, and gives them. */
    take(max: number, seconds = settings.visibilityTimeoutSeconds): readonly Enqueued[] {
      const visible = [...messages].filter(isVisible);
      for (const message of visible.filter(({ receives }) => receives >= settings.maxReceiveCount)) {
        messages.delete(message);
        settings.onBuried(message);
        wakeAll();
      }
      const left = visible.filter((message) => messages.has(message)).slice(0, max);
      return left.map((message) => received(message, seconds));
    },
    /** The message that was received last with this receipt handle. */
    heldBy: (receiptHandle: string | undefined) =>
      [...messages].find((message) => message.receiptHandle === receiptHandle),
    remove(message: Enqueued): void {
      messages.delete(message);
      wakeAll();
    },
    hide(message: Enqueued, seconds: number): void {
      message.visibleAt = now() + seconds * 1_000;
      wakeAll();
    },
    advance(milliseconds: number): void {
      advanced += milliseconds;
      wakeAll();
    },
    /** Resolves at the next change, when a message becomes visible, after that time, or when the signal aborts. */
    changed(withinMs: number, signal?: AbortSignal): Promise<void> {
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

export type QueueMessages = ReturnType<typeof createQueueMessages>;
