import { endsWithin } from '../../../src/lib/wait.ts';
import type { PlannedMessage } from '../plan/plan.ts';
import type { Life } from '../time/life.ts';
import type { World } from '../world/world.ts';

/** What an answer says to a client: the request is done with, it is wrong, or it has to be sent again. */
export type Answer = 'done' | 'refused' | 'again';

/** Answers a request in a process. It must not throw. */
export type Answering = (message: PlannedMessage, request: Request) => Promise<Answer>;

export interface Request {
  /** Whether a forger sends it, with the id of a message and another body. */
  readonly isForged: boolean;
  /** Aborts when the process has to stop. */
  readonly signal: AbortSignal;
}

interface Server {
  readonly life: Life;
  readonly answering: Answering;
  readonly stopping: AbortController;
  readonly underWay: Set<Promise<void>>;
  isOpen: boolean;
}

/** How often a request is sent twice at once, and forged. */
const TWICE_SHARE = 0.1;
const FORGED_SHARE = 0.08;

/** What a client waits for an answer, and before it sends the request again. */
const PATIENCE_MS = [1_000, 8_000] as const;
const PAUSE_MS = [200, 2_000] as const;

/** A client that was told so often that its request is wrong believes it. */
const MOST_REFUSALS = 6;

/** What a process gets to end once its requests are aborted. */
const LAST_MS = 5_000;

/** Clients that send their messages as requests, again and again until one is answered, to whatever process is up. */
export class Clients {
  readonly #world: World;
  readonly #canForge: boolean;
  readonly #servers = new Set<Server>();
  readonly #ended = new Set<PlannedMessage>();
  readonly #refusals = new Map<PlannedMessage, number>();
  readonly #sends = new Map<PlannedMessage, number>();

  constructor(world: World, canForge: boolean) {
    this.#world = world;
    this.#canForge = canForge;
  }

  send(message: PlannedMessage): void {
    this.#world.tell({ type: 'sent', message, isInOrder: false });
    this.#request(message);
  }

  hasEnded(message: PlannedMessage): boolean {
    return this.#ended.has(message);
  }

  serve(life: Life, answering: Answering): { stop(): Promise<void> } {
    const stopping = new AbortController();
    const server: Server = { life, answering, stopping, underWay: new Set(), isOpen: true };
    this.#servers.add(server);
    const { drainMs } = this.#world.plan.settings;
    return {
      async stop() {
        server.isOpen = false;
        const ended = Promise.all(server.underWay);
        if (await endsWithin(ended, drainMs, life.clock)) return;
        stopping.abort();
        await endsWithin(ended, LAST_MS, life.clock);
      },
    };
  }

  #request(message: PlannedMessage): void {
    if (this.#ended.has(message)) return;
    const { scheduler, random } = this.#world;
    let isOver = false;
    const again = (): void => {
      if (isOver) return;
      isOver = true;
      scheduler.after(random.between(...PAUSE_MS), () => {
        this.#request(message);
      });
    };
    const onAnswer = (answer: Answer, life: Life): void => {
      if (isOver) return;
      if (answer === 'again' || (answer === 'refused' && !this.#believes(message))) {
        again();
        return;
      }
      isOver = true;
      if (answer === 'done') this.#world.tell({ type: 'acknowledged', life, message });
      this.#ended.add(message);
    };
    scheduler.after(random.between(...PATIENCE_MS), again);
    this.#call(message, false, onAnswer, again);
    if (this.#happens(TWICE_SHARE)) {
      this.#world.tell({ type: 'fault', fault: 'delivered twice', what: message.id });
      this.#call(message, false, onAnswer, again);
    }
    if (this.#canForge && this.#happens(FORGED_SHARE)) {
      this.#world.tell({ type: 'fault', fault: 'request forged', what: message.id });
      this.#call(
        message,
        true,
        () => undefined,
        () => undefined,
      );
    }
  }

  #call(
    message: PlannedMessage,
    isForged: boolean,
    onAnswer: (answer: Answer, life: Life) => void,
    onError: () => void,
  ): void {
    const { network, scheduler, random } = this.#world;
    const open = [...this.#servers].filter(({ life, isOpen }) => isOpen && life.isAlive);
    if (open.length === 0) {
      onError();
      return;
    }
    const server = random.pick(open);
    const { life } = server;
    const fate = network.fateOf(life, 'broker');
    if (fate.answer === 'error') scheduler.after(fate.answersAfterMs, onError);
    if (fate.landsAfterMs === undefined) return;
    const backMs = fate.answersAfterMs - fate.landsAfterMs;
    life.arrive(fate.landsAfterMs, () => {
      if (!isForged) this.#tellDelivered(message, life);
      const { signal } = server.stopping;
      const answered = server.answering(message, { isForged, signal }).then((answer) => {
        server.underWay.delete(answered);
        if (fate.answer !== 'reply' || !life.isAlive) return;
        scheduler.after(backMs, () => {
          onAnswer(answer, life);
        });
      });
      server.underWay.add(answered);
    });
  }

  #tellDelivered(message: PlannedMessage, life: Life): void {
    const receiveCount = (this.#sends.get(message) ?? 0) + 1;
    this.#sends.set(message, receiveCount);
    this.#world.tell({ type: 'delivered', life, message, receiveCount });
  }

  #believes(message: PlannedMessage): boolean {
    const refusals = (this.#refusals.get(message) ?? 0) + 1;
    this.#refusals.set(message, refusals);
    return refusals >= MOST_REFUSALS;
  }

  #happens(share: number): boolean {
    const { network, random } = this.#world;
    return !network.isCalm && random.chance(share);
  }
}
