import type { Around } from '../../../src/index.ts';
import type { Fetch, LogConsumer, Place, TopicPartitions } from '../client/log-client.ts';
import { RebalanceError, Session, type SessionOptions } from './session.ts';

export interface ClientOptions extends Omit<SessionOptions, 'handle'> {
  readonly around: Around['consumer'];
}

/** A consumer of Confluent's client as the adapter commands it. Each run has a native consumer of its own. */
export interface ConfluentClient extends LogConsumer {
  run(handle: (fetch: Fetch) => Promise<void>): Promise<void>;
  stop(): Promise<void>;
  /** Calls of the user's own. */
  readonly user: {
    pause(topics: readonly TopicPartitions[]): void;
    resume(topics: readonly TopicPartitions[]): void;
    paused(): readonly Place[];
    seek(place: Place, position: bigint): void;
  };
}

export function createConfluentClient(options: ClientOptions): ConfluentClient {
  const { listener } = options;
  const around: NonNullable<Around['consumer']> = options.around ?? ((start) => start());
  let session: Session | undefined;
  let starting: Promise<void> = Promise.resolve();

  function running(): Session {
    if (session?.isRunning !== true) throw new Error('the worker does not run: call run() first');
    return session;
  }

  const client: ConfluentClient = {
    pause(topic) {
      running().pause(topic);
    },
    resume(topic) {
      running().resume(topic);
    },
    moveTo(place, position) {
      running().moveTo(place, position);
    },
    // Also while it stops: what was settled last is committed then.
    commit: (place, position) => session?.commit(place, position) ?? notRunning(),
    endsMembership: (error): error is Error => error instanceof RebalanceError,
    async run(handle) {
      if (session?.isRunning === true) throw new Error('the worker runs already: call stop() first');
      await session?.stop();
      const next = new Session({ ...options, handle });
      session = next;
      starting = around(() => next.start());
      try {
        await starting;
      } catch (error) {
        session = undefined;
        throw error;
      }
    },
    async stop() {
      await starting.catch(() => undefined);
      await session?.stop();
    },
    user: {
      pause(topics) {
        for (const topic of topics) running().pause(topic);
        listener.paused(topics);
      },
      resume(topics) {
        for (const topic of topics) running().resume(topic);
        listener.resumed(topics);
      },
      paused: () => (session?.isRunning === true ? session.paused() : []),
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
