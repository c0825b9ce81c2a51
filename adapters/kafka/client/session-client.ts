import type { Around } from '../../../src/index.ts';
import type { Fetch, LogConsumer, LogListener, Place, TopicPartitions } from '../log/log-client.ts';
import type { Pauses } from '../partition/pauses.ts';
import { RebalanceError } from './feeds.ts';
import type { Session } from './session.ts';

export interface SessionClientOptions {
  readonly listener: LogListener;
  readonly pauses: Pick<Pauses, 'user'>;
  readonly around: Around['consumer'];
  readonly open: (handle: (fetch: Fetch) => Promise<void>) => Session;
}

/** A call of `run`, and its session once that is made. */
interface Run {
  session: Session | undefined;
}

/** A consumer that the adapter makes itself: each run is a session of its own. */
export class SessionClient implements LogConsumer {
  readonly #options: SessionClientOptions;
  #session: Session | undefined;
  /** The last call of `run`. Undefined after a call of `stop`. */
  #wanted: Run | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: SessionClientOptions) {
    this.#options = options;
  }

  async run(handle: (fetch: Fetch) => Promise<void>): Promise<void> {
    const isOver = this.#wanted === undefined || this.#wanted.session?.isRunning === false;
    if (!isOver) throw new Error('the worker is already running: call stop() first');
    const run: Run = { session: undefined };
    this.#wanted = run;
    await this.#inTurn(() => this.#begin(run, handle));
  }

  async stop(): Promise<void> {
    this.#wanted = undefined;
    await this.#inTurn(async () => {
      await this.#session?.stop();
    });
  }

  applyPause(): void {
    this.#running().feeds.drain();
  }

  callOfUser(verb: 'pause' | 'resume', topics: readonly TopicPartitions[]): void {
    const { feeds } = this.#running();
    for (const topic of topics) this.#options.pauses.user[verb](topic);
    feeds.drain();
  }

  /** The partitions of this member that are paused, no matter by whom. */
  paused(): readonly Place[] {
    return this.#session?.isRunning === true ? this.#session.feeds.paused() : [];
  }

  moveTo(place: Place, position: bigint): void {
    this.#running().moveTo(place, position);
  }

  moveByUser(place: Place, position: bigint): void {
    this.moveTo(place, position);
    this.#options.listener.moved(place, position);
  }

  /** Also while it stops: what was settled last is committed then. */
  async commit(place: Place, position: bigint): Promise<void> {
    if (this.#session === undefined) throw new Error('the worker is not running');
    await this.#session.commit(place, position);
  }

  endsMembership(error: unknown): error is Error {
    return error instanceof RebalanceError;
  }

  unreached(): readonly Place[] {
    return this.#session?.isRunning === true ? this.#session.unreached() : [];
  }

  /** Runs and stops do not overlap, whether their caller awaits them or not. */
  #inTurn(step: () => Promise<void>): Promise<void> {
    const ended = this.#turn.then(step);
    this.#turn = ended.catch(() => undefined);
    return ended;
  }

  async #begin(run: Run, handle: (fetch: Fetch) => Promise<void>): Promise<void> {
    const { open } = this.#options;
    const around: NonNullable<Around['consumer']> = this.#options.around ?? ((start) => start());
    try {
      // One that has crashed may not have ended.
      await this.#session?.stop();
      if (this.#wanted !== run) return;
      const session = open(handle);
      run.session = session;
      this.#session = session;
      await around(() => session.start());
    } catch (error) {
      this.#session = undefined;
      if (this.#wanted === run) this.#wanted = undefined;
      throw error;
    }
  }

  #running(): Session {
    if (this.#session?.isRunning !== true) throw new Error('the worker is not running: call run() first');
    return this.#session;
  }
}
