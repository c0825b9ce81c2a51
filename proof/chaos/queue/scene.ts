import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Fleet } from '../../../test/support/fleet.ts';
import type { ElasticMqProcess } from '../../../test/support/services/elasticmq-process.ts';
import type { PostgresProcess, PostgresSettings } from '../../../test/support/services/postgres-process.ts';
import type { TcpProxy } from '../../../test/support/tcp-proxy.ts';
import type { Check } from '../report.ts';
import type { Consumer, WorkerReport, WorkerSettings } from './settings.ts';

/** Something that was done to a worker, or to what all of them use. Times are by `now`. */
export interface Fault {
  readonly kind: 'killed' | 'stopped' | 'database' | 'queue' | 'clock';
  readonly from: number;
  readonly until: number;
  /** Undefined: it was in the way of all. */
  readonly worker: number | undefined;
}

export interface SceneOptions {
  readonly name: string;
  readonly consumer: Consumer;
  /** Of the server of the records. */
  readonly settings?: PostgresSettings;
  /** The queue outlives its server. */
  readonly queueIsStored?: boolean;
  readonly worker?: Partial<WorkerSettings>;
  /** Gets what the case needs of this machine. Throws `NotRunError` where the machine has it not. */
  readonly prepare?: (onClose: OnClose) => Promise<Place>;
}

/** What a case has of this machine. */
export interface Place {
  /** Of the server of the records. Default: a temporary folder. */
  readonly folder?: string;
  /** Of the workers. */
  readonly environment?: NodeJS.ProcessEnv;
}

/** Calls a function at the end of the case; the last that was given is called first. */
export type OnClose = (close: () => unknown) => void;

export type Own = Pick<WorkerSettings, 'standsAt'>;
export type SharedSettings = Omit<WorkerSettings, 'worker'>;

/** Workers in processes of their own, a queue, and a server of the records, with a proxy before each of the two. */
export interface Scene {
  readonly place: Place;
  readonly seed: number;
  readonly random: () => number;
  readonly fleet: Fleet<WorkerReport, SharedSettings>;
  /** The installation of PostgreSQL. */
  readonly installation: string;
  readonly postgres: PostgresProcess;
  readonly toPostgres: TcpProxy;
  readonly queue: ElasticMqProcess;
  readonly toQueue: TcpProxy;
  readonly queueClient: SQSClient;
  readonly queueUrl: string;
  /** Of the records. */
  readonly scope: string;
  readonly faults: Fault[];
  readonly onClose: OnClose;
  /** Tells what happens. */
  readonly log: (what: string) => void;
  /** Starts a worker. Returns its number. */
  readonly join: (own?: Own) => number;
  /** Notes a fault that lasts as long as `what`. */
  during<T>(kind: Fault['kind'], what: () => Promise<T> | T, worker?: number): Promise<T>;
  /** Waits until so many more messages have ended. */
  readonly progress: (count: number) => Promise<void>;
}

/** Makes the faults of a case, and leaves everything whole. May return rules of its own. */
export type Act = (scene: Scene, steps: number) => Promise<readonly Check[] | undefined>;
