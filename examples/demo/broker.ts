import type { Order } from './traffic.ts';

/** A queue that the demo shows handle-once with: how it is started, and how a trial with it goes. */
export interface Broker {
  readonly name: string;
  /** The workers of the trial with handle-once, and those of the one without. */
  readonly once: WorkerKind;
  readonly control: WorkerKind;
  /** Begin one after the other. The doomed worker is one of them. */
  readonly firstWorkers: readonly number[];
  /** Begin when another worker has the dead worker's messages. */
  readonly lateWorkers: readonly number[];
  readonly words: Words;
  start(): Promise<RunningBroker>;
}

export interface WorkerKind {
  readonly file: URL;
  /** How many messages a worker handles at once, in words. */
  readonly atOnce: string;
  /** The kill comes when so many handlers have had their effects and not ended, and as many are before them. */
  readonly leastOnEachSide: number;
}

/** What the demo says of a broker. */
export interface Words {
  /** The table's name for what disturbs a trial besides the kill. */
  readonly disturbances: string;
  disturbed(count: number): string;
  /** What a delivery is here, if that has to be said. */
  readonly deliveries?: string;
  /** What the control is. */
  readonly control: string;
}

export interface RunningBroker {
  /** A place for one trial's messages. */
  openChannel(name: string): Promise<Channel>;
  /** Leaves nothing behind of what the demo has put there. */
  stop(): Promise<void>;
}

export interface Channel {
  /** How its workers find it. */
  readonly environment: Readonly<Record<string, string>>;
  send(orders: readonly Order[]): Promise<void>;
  /** Messages that the broker would still deliver, in words; none when it is through. */
  undone(): Promise<string[]>;
}
