import { errorOf } from '../log/error-of.ts';
import { notOwn, RebalanceError } from '../client/feeds.ts';
import type { Place } from '../log/log-client.ts';
import type { Edges } from '../client/partition-feed.ts';
import { Session, type SessionRun } from '../client/session.ts';
import { FetchLoop } from './fetch-loop.ts';
import { Membership } from './membership.ts';
import { closed, type NativeConsumer, needsRejoin, plainError } from './native.ts';
import { Source } from './source.ts';
import { committedOf, END, OLDEST, startsOf } from './starts.ts';

const UNKNOWN_EPOCH = -1;
const NO_USER_DATA = Buffer.alloc(0);

export interface SessionOptions extends SessionRun {
  readonly bytesOfPartition: number;
  /** Makes a consumer of the package. */
  readonly createConsumer: (more: object) => NativeConsumer;
}

/**
 * One run of a consumer of platformatic's client, from its connection to its end.
 *
 * It has two consumers of the package. One is the member of the group, and commits; one fetches, on connections of its
 * own, since a broker answers nothing on one on which it waits for messages.
 */
export class PlatformaticSession extends Session {
  readonly #options: SessionOptions;
  readonly #member: NativeConsumer;
  readonly #fetcher: NativeConsumer;
  readonly #loop: FetchLoop;
  readonly #membership: Membership;

  constructor(options: SessionOptions) {
    super(options);
    this.#options = options;
    const { clock, topics, bytesOfPartition, onError } = options;
    this.#fetcher = options.createConsumer({});
    this.#fetcher.on('error', onError);
    // Called before each join, which waits for it.
    this.#member = options.createConsumer({ protocolsMetadata: () => this.#giveBack() });
    this.#loop = new FetchLoop(this.#fetcher, {
      ...{ clock, bytesOfPartition, onError },
      beginningsOf: (sources) => this.#beginningsOf(sources),
      onGrown: () => {
        this.#membership.join();
      },
    });
    this.#membership = new Membership(this.#member, {
      ...{ clock, topics },
      onJoined: (places) => {
        this.#assign(places);
      },
      onLost: (error) => {
        this.#lose(error);
      },
      onFenced: (error) => {
        this.crash(error);
      },
      onError: (error) => {
        onError(plainError(error));
      },
    });
  }

  async start(): Promise<void> {
    try {
      // Shows whether brokers answer.
      await this.#fetcher.metadata({ topics: [] });
    } catch (error) {
      await Promise.all([closed(this.#member), closed(this.#fetcher)]);
      throw plainError(error);
    }
    void this.#loop.run();
    this.#membership.join();
  }

  override unreached(): Place[] {
    return [...this.#membership.unreached(), ...this.#loop.unreached()];
  }

  moveTo(place: Place, position: bigint): void {
    const source = this.#loop.of(place);
    if (source === undefined) throw notOwn(place);
    source.moveTo(position);
    this.#loop.wake();
  }

  setFull(place: Place, isFull: boolean): void {
    const source = this.#loop.of(place);
    if (source === undefined) return;
    source.isFull = isFull;
    if (!isFull) this.#loop.wake();
  }

  edgesOf(place: Place): Edges | undefined {
    return this.#loop.of(place);
  }

  protected async sendCommit({ topic, partition }: Place, position: bigint): Promise<void> {
    if (this.#member.memberId === null) throw new RebalanceError('the consumer is not a member of its group');
    const place = { topic, partition, offset: position, leaderEpoch: UNKNOWN_EPOCH };
    try {
      await this.#member.commit({ offsets: [place] });
    } catch (error) {
      this.#membership.lookForFence(error);
      if (needsRejoin(error))
        throw new RebalanceError('the group continues without this member', { cause: error });
      this.#member.clearMetadata();
      throw plainError(error);
    }
  }

  protected async leave(): Promise<void> {
    this.#loop.end();
    await this.#membership.leave();
    await Promise.all([closed(this.#member), closed(this.#fetcher)]);
  }

  get #start(): typeof OLDEST | typeof END {
    return this.#options.fromBeginning === true ? OLDEST : END;
  }

  async #giveBack(): Promise<Buffer> {
    this.#loop.clear();
    await this.feeds.revoke();
    // The group is left instead.
    if (!this.isRunning) return await new Promise<never>(() => undefined);
    await this.#membership.subscribe();
    return NO_USER_DATA;
  }

  #lose(error: unknown): void {
    this.#loop.clear();
    void this.feeds.revoke();
    this.#options.listener.crashed(errorOf(error), true);
    this.#options.onError(plainError(error));
  }

  #assign(places: readonly Place[]): void {
    if (!this.isRunning) return;
    this.feeds.assign(places);
    this.#loop.assign(places.map((place) => new Source(place, this.feeds.ofOwn(place))));
  }

  /** Where the group has committed, or else where the option says. */
  async #beginningsOf(sources: readonly Source[]): Promise<[Source, bigint][]> {
    const committed = await committedOf(this.#member, sources);
    const open = committed.flatMap(([source, position]) => (position === undefined ? [source] : []));
    const known = committed.filter((one): one is [Source, bigint] => one[1] !== undefined);
    return [...known, ...(await startsOf(this.#fetcher, open, this.#start))];
  }
}
