import type { Life } from '../../time/life.ts';
import { never } from '../../time/never.ts';
import type { Fate } from '../../world/fate.ts';
import type { World } from '../../world/world.ts';
import {
  type Answer,
  ClientError,
  connectionClosed,
  connectionRefused,
  requestTimedOut,
} from '../broker/errors.ts';

/** kafkajs has a connection for fetches, and one for everything else. */
type Connection = 'fetches' | 'others';

/** How often a commit that is not answered takes effect all the same, seconds later. */
const LATE_SHARE = 0.4;
/** Requests of one connection land in the order in which they were sent. */
const BEHIND_MS = 0.001;

/** How one process talks to the brokers. */
export class Link {
  readonly #world: World;
  readonly #life: Life;
  readonly #timeoutMs: number;
  readonly #landed: Record<Connection, number> = { fetches: 0, others: 0 };

  constructor(world: World, life: Life, timeoutMs: number) {
    this.#world = world;
    this.#life = life;
    this.#timeoutMs = timeoutMs;
  }

  /** Sends a request. `ask` is called where it lands. */
  request<Result>(ask: (answer: Answer<Result>) => void, connection: Connection = 'others'): Promise<Result> {
    if (!this.#life.isAlive) return never();
    return this.#send(this.#fate(), ask, connection);
  }

  /** The same, for a request that takes effect only where its answer arrives. */
  requestOrNothing<Result>(ask: (answer: Answer<Result>) => void): Promise<Result> {
    if (!this.#life.isAlive) return never();
    const fate = this.#fate();
    const landsAfterMs = fate.answer === 'reply' ? fate.landsAfterMs : undefined;
    return this.#send({ ...fate, landsAfterMs }, ask, 'others');
  }

  /** The same, for a commit: one that is lost on its way can arrive when others have long been sent. */
  commit(land: () => ClientError | undefined): Promise<void> {
    if (!this.#life.isAlive) return never();
    const { scheduler, network, random, tell } = this.#world;
    const fate = this.#fate();
    if (fate.fault === 'broker request lost' && !network.isCalm && random.chance(LATE_SHARE)) {
      tell({ type: 'fault', fault: 'commit landed late', life: this.#life });
      scheduler.after(random.between(200, 6_000), land);
    }
    return this.#send(
      fate,
      (answer: Answer<undefined>) => {
        answer(land());
      },
      'others',
    );
  }

  #fate(): Fate {
    return this.#world.network.fateOf(this.#life, 'broker');
  }

  #send<Result>(
    { landsAfterMs, answer, answersAfterMs, fault }: Fate,
    ask: (answer: Answer<Result>) => void,
    connection: Connection,
  ): Promise<Result> {
    const life = this.#life;
    return new Promise((resolve, reject) => {
      const settle = (result: Result | ClientError): void => {
        if (result instanceof ClientError) reject(result);
        else resolve(result);
      };
      if (landsAfterMs !== undefined) {
        this.#land(landsAfterMs, connection, () => {
          ask((result) => {
            if (answer !== 'reply') return;
            life.arrive(answersAfterMs - landsAfterMs, () => {
              settle(result);
            });
          });
        });
      }
      if (answer === 'error') {
        life.arrive(answersAfterMs, () => {
          reject(fault === 'broker refuses connections' ? connectionRefused() : connectionClosed());
        });
      }
      if (answer === 'silence') {
        life.clock.setTimer(() => {
          reject(requestTimedOut());
        }, this.#timeoutMs);
      }
    });
  }

  #land(afterMs: number, connection: Connection, run: () => void): void {
    const { scheduler } = this.#world;
    const at = Math.max(scheduler.now() + afterMs, this.#landed[connection] + BEHIND_MS);
    this.#landed[connection] = at;
    scheduler.after(at - scheduler.now(), run);
  }
}
