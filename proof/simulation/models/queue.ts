import type { PlannedMessage } from '../plan/plan.ts';
import type { Life } from '../time/life.ts';
import type { World } from '../world/world.ts';

/** A message as a receive gave it. */
export interface Receipt {
  readonly message: PlannedMessage;
  readonly handle: string;
  readonly receiveCount: number;
}

interface Stored {
  readonly message: PlannedMessage;
  visibleAt: number;
  receiveCount: number;
  handle: string;
  /** Of its receipts: those of an earlier copy are others. */
  readonly copy: number;
}

const NONE: ReadonlySet<string> = new Set();

interface Poll {
  readonly life: Life;
  readonly max: number;
  readonly visibilityMs: number;
  readonly answer: (receipts: readonly Receipt[]) => void;
  isOver: boolean;
}

/** How often a receive gets a message that is in flight, and how often a delete is forgotten. */
const TWICE_SHARE = 0.1;
const FORGOTTEN_SHARE = 0.03;

/** How long a FIFO queue knows what was sent. */
const DEDUPLICATION_MS = 300_000;

/**
 * A queue of SQS: it hides what it has delivered for a time. With a redrive policy a message that was received too
 * often goes to the dead letters of that.
 *
 * A standard queue delivers in no order, now and then twice, and forgets a delete. A FIFO queue gives nothing of a
 * group of which something is in flight, takes what has the same content once in five minutes, and refuses a receipt
 * whose visibility timeout has lapsed.
 */
export class Queue {
  readonly #world: World;
  readonly #stored = new Map<string, Stored>();
  readonly #isFifo: boolean;
  /** When what has a content was sent last. */
  readonly #sentAt = new Map<string, number>();
  #polls: Poll[] = [];
  /** Of either kind. */
  readonly #letters = new Set<PlannedMessage>();
  #copies = 0;

  constructor(world: World) {
    this.#world = world;
    this.#isFifo = world.plan.settings.isFifo;
  }

  /** Whether it was deleted, or moved to the dead letters of the redrive policy. */
  isGone({ id }: PlannedMessage): boolean {
    return !this.#stored.has(id);
  }

  send(message: PlannedMessage): void {
    if (this.#isFifo && this.#isKnown(message.body)) {
      this.#world.tell({ type: 'fault', fault: 'deduplicated by the queue', what: message.id });
      return;
    }
    this.#put(message);
  }

  /** A dead letter has come of a message. */
  takeLetter(message: PlannedMessage): void {
    this.#letters.add(message);
  }

  /** Sends one of its dead letters back, which is delivered as its message was. */
  redriveOne(prepare: (message: PlannedMessage) => void): void {
    const gone = [...this.#letters].filter((message) => this.isGone(message));
    if (gone.length === 0) return;
    const message = this.#world.random.pick(gone);
    this.#letters.delete(message);
    this.#world.tell({ type: 'fault', fault: 'dead letter redriven', what: message.id });
    prepare(message);
    this.#put(message);
  }

  #put(message: PlannedMessage): void {
    this.#copies += 1;
    const copy = this.#copies;
    this.#stored.set(message.id, { message, visibleAt: 0, receiveCount: 0, handle: '', copy });
    this.#world.tell({ type: 'sent', message, isInOrder: this.#isFifo });
    this.#serve();
  }

  /** Answers at once where there are messages, else when there are, or at the end of the wait. */
  receive(poll: Omit<Poll, 'isOver'>, waitMs: number): void {
    const waiting = { ...poll, isOver: false };
    this.#world.tell({ type: 'polled', life: poll.life, visibilitySeconds: poll.visibilityMs / 1_000 });
    this.#polls.push(waiting);
    if (this.#happens(TWICE_SHARE)) this.#showAgain(poll.life);
    this.#serve();
    if (waiting.isOver) return;
    this.#world.scheduler.after(waitMs, () => {
      if (waiting.isOver) return;
      this.#end(waiting);
      waiting.answer([]);
    });
  }

  /** Whether it has taken that in the last five minutes. From now on it has. */
  #isKnown(content: string): boolean {
    const now = this.#now();
    const sentAt = this.#sentAt.get(content);
    if (sentAt !== undefined && now - sentAt < DEDUPLICATION_MS) return true;
    this.#sentAt.set(content, now);
    return false;
  }

  /**
   * The code of a refusal; undefined where it is done. Of a standard queue an old receipt may do nothing, and the queue
   * says that all is well.
   */
  delete(life: Life, handle: string): string | undefined {
    const stored = this.#ofHandle(handle);
    if (stored === undefined) return undefined;
    if (this.#isFifo) {
      if (this.#hasLapsed(stored, handle)) return 'InvalidParameterValue';
      this.#remove(life, stored);
      return undefined;
    }
    if (this.#isIgnored(stored, handle)) return undefined;
    if (this.#happens(FORGOTTEN_SHARE)) {
      this.#world.tell({
        type: 'fault',
        fault: 'delete forgotten by the queue',
        life,
        what: stored.message.id,
      });
      return undefined;
    }
    this.#remove(life, stored);
    return undefined;
  }

  /** The code of a refusal; undefined where it is done. */
  changeVisibility(handle: string, seconds: number): string | undefined {
    const stored = this.#ofHandle(handle);
    if (stored === undefined) return 'ReceiptHandleIsInvalid';
    if (stored.visibleAt <= this.#now()) return 'MessageNotInflight';
    if (this.#isFifo && this.#hasLapsed(stored, handle)) return 'InvalidParameterValue';
    if (!this.#isIgnored(stored, handle)) this.#hide(stored, seconds * 1_000);
    return undefined;
  }

  #remove(life: Life, { message }: Stored): void {
    this.#stored.delete(message.id);
    this.#world.tell({ type: 'acknowledged', life, message });
    // What stands behind it in its group can be delivered now.
    if (this.#isFifo) this.#serve();
  }

  #hasLapsed({ handle: latest, visibleAt }: Stored, handle: string): boolean {
    return latest !== handle || visibleAt <= this.#now();
  }

  #serve(): void {
    for (const poll of [...this.#polls]) {
      const receipts = this.#take(poll);
      if (receipts.length === 0) continue;
      this.#end(poll);
      poll.answer(receipts);
    }
  }

  #end(poll: Poll): void {
    poll.isOver = true;
    this.#polls = this.#polls.filter((one) => one !== poll);
  }

  #take(poll: Poll): Receipt[] {
    const receipts: Receipt[] = [];
    const held = this.#groupsInFlight();
    for (const stored of this.#stored.values()) {
      if (receipts.length === poll.max) break;
      if (held.has(stored.message.group)) continue;
      if (stored.visibleAt > this.#now() || this.#redrives(stored)) continue;
      receipts.push(this.#deliver(poll, stored));
    }
    return receipts;
  }

  /** Those of which nothing may be delivered. */
  #groupsInFlight(): ReadonlySet<string> {
    if (!this.#isFifo) return NONE;
    const inFlight = [...this.#stored.values()].filter(({ visibleAt }) => visibleAt > this.#now());
    return new Set(inFlight.map(({ message }) => message.group));
  }

  /** Forgets that it has hidden a message. */
  #showAgain(life: Life): void {
    if (this.#isFifo) return;
    const hidden = [...this.#stored.values()].filter(({ visibleAt }) => visibleAt > this.#now());
    if (hidden.length === 0) return;
    const stored = this.#world.random.pick(hidden);
    stored.visibleAt = this.#now();
    this.#world.tell({ type: 'fault', fault: 'delivered twice', life, what: stored.message.id });
  }

  #redrives({ message, receiveCount }: Stored): boolean {
    if (receiveCount < (this.#world.plan.settings.maxReceiveCount ?? Infinity)) return false;
    this.#stored.delete(message.id);
    this.takeLetter(message);
    this.#world.tell({ type: 'redriven', message });
    return true;
  }

  #deliver({ life, visibilityMs }: Poll, stored: Stored): Receipt {
    const { message } = stored;
    stored.receiveCount += 1;
    stored.handle = `${message.id}#${stored.copy}.${stored.receiveCount}`;
    this.#hide(stored, visibilityMs);
    const { receiveCount, handle } = stored;
    this.#world.tell({ type: 'delivered', life, message, receiveCount });
    return { message, handle, receiveCount };
  }

  #hide(stored: Stored, milliseconds: number): void {
    stored.visibleAt = this.#now() + milliseconds;
    this.#world.scheduler.after(milliseconds, () => {
      this.#serve();
    });
  }

  #ofHandle(handle: string): Stored | undefined {
    const [id = '', copy = ''] = handle.split(/[#.]/);
    const stored = this.#stored.get(id);
    return stored?.copy === Number(copy) ? stored : undefined;
  }

  #isIgnored({ handle: latest }: Stored, handle: string): boolean {
    return latest !== handle && this.#world.random.chance(0.5);
  }

  #happens(share: number): boolean {
    const { network, random, plan } = this.#world;
    return plan.queueForgets && !network.isCalm && random.chance(share);
  }

  #now(): number {
    return this.#world.scheduler.now();
  }
}
