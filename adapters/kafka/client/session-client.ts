import type { Clock, Warning } from '../../../src/adapter-kit.ts';
import type { Around } from '../../../src/index.ts';
import type { KafkaWarning } from '../log/events.ts';
import type { Fetch, LogConsumer, LogListener, Place } from '../log/log-client.ts';
import type { Pauses } from '../partition/pauses.ts';
import type { Feeds } from './feeds.ts';

/** One run of a consumer, from its connection to its end. */
export interface Session extends Pick<LogConsumer, 'moveTo' | 'commit'> {
  readonly feeds: Feeds;
  readonly isRunning: boolean;
  /** Connects. Throws what the client throws. */
  start(): Promise<void>;
  /** Waits for handlers, commits what they settled, and leaves the group. */
  stop(): Promise<void>;
  /** The partitions of this member that are not fetched, as far as the session itself knows. */
  unreached?(): Place[];
}

/** What a session of every client is given. */
export interface SessionRun {
  readonly clock: Clock;
  readonly topics: readonly string[];
  /** Undefined is false. */
  readonly fromBeginning: boolean | undefined;
  readonly listener: LogListener;
  readonly pauses: Pauses;
  readonly handle: (fetch: Fetch) => Promise<void>;
  /** Reports what is tried again, by the client or by the session. */
  readonly onError: (error: unknown) => void;
  readonly onWarning: (found: Warning<KafkaWarning>) => void;
}

export interface SessionClientOptions {
  readonly listener: LogListener;
  readonly pauses: Pauses;
  readonly around: Around['consumer'];
  readonly open: (handle: (fetch: Fetch) => Promise<void>) => Session;
  readonly endsMembership: LogConsumer['endsMembership'];
}

/** A consumer that the adapter makes itself, as it commands it: each run is a session of its own. */
export interface SessionClient extends LogConsumer {
  run(handle: (fetch: Fetch) => Promise<void>): Promise<void>;
  stop(): Promise<void>;
  /** Calls of the user's own. */
  readonly user: {
    /** The partitions of this member that are paused, no matter by whom. */
    paused(): readonly Place[];
    seek(place: Place, position: bigint): void;
  };
}

/** A call of `run`, and its session once that is made. */
interface Run {
  session: Session | undefined;
}

export function createSessionClient(options: SessionClientOptions): SessionClient {
  const { listener, pauses, endsMembership } = options;
  const around: NonNullable<Around['consumer']> = options.around ?? ((start) => start());
  let session: Session | undefined;
  /** What was called for last. Undefined where that is a stop. */
  let wanted: Run | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  /** Runs and stops do not overlap, whether their caller awaits them or not. */
  function inTurn(step: () => Promise<void>): Promise<void> {
    const ended = turn.then(step);
    turn = ended.catch(() => undefined);
    return ended;
  }

  async function begin(run: Run, handle: (fetch: Fetch) => Promise<void>): Promise<void> {
    try {
      // One that has crashed may not have ended.
      await session?.stop();
      if (wanted !== run) return;
      const next = options.open(handle);
      run.session = next;
      session = next;
      await around(() => next.start());
    } catch (error) {
      session = undefined;
      if (wanted === run) wanted = undefined;
      throw error;
    }
  }

  function running(): Session {
    if (session?.isRunning !== true) throw new Error('the worker does not run: call run() first');
    return session;
  }

  const client: SessionClient = {
    applyPause() {
      running().feeds.drain();
    },
    callOfUser(verb, topics) {
      const { feeds } = running();
      for (const topic of topics) pauses.user[verb](topic);
      feeds.drain();
    },
    moveTo(place, position) {
      running().moveTo(place, position);
    },
    // Also while it stops: what was settled last is committed then.
    commit: (place, position) => session?.commit(place, position) ?? notRunning(),
    endsMembership,
    unreached: () => (session?.isRunning === true ? session.unreached?.() : undefined) ?? [],
    async run(handle) {
      const isOver = wanted === undefined || wanted.session?.isRunning === false;
      if (!isOver) throw new Error('the worker runs already: call stop() first');
      const run: Run = { session: undefined };
      wanted = run;
      await inTurn(() => begin(run, handle));
    },
    async stop() {
      wanted = undefined;
      await inTurn(async () => {
        await session?.stop();
      });
    },
    user: {
      paused: () => (session?.isRunning === true ? session.feeds.paused() : []),
      seek(place, position) {
        running().moveTo(place, position);
        listener.moved(place);
      },
    },
  };
  return client;
}

function notRunning(): Promise<never> {
  return Promise.reject(new Error('the worker does not run'));
}
