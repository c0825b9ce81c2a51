/** What a channel publishes. */
export type Message = Readonly<Record<string, unknown>>;

/** A metric, and what it takes of a message. */
export interface Metric {
  readonly name: string;
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly description: string;
  readonly unit?: string;
  /** Of a histogram: the upper bounds of its buckets. */
  readonly bounds?: number[];
  /** Fields of the message: each combination is a series. None of them grows with messages. */
  readonly labels: readonly Label[];
  /** Undefined for a message that this metric is not of. */
  readonly value: (message: Message) => number | undefined;
}

/** The fields that make a series, and what they are called in metrics. */
export const LABELS = {
  type: 'handle_once.event',
  scope: 'handle_once.scope',
  reason: 'handle_once.reason',
  warning: 'handle_once.warning',
  verb: 'handle_once.verb',
  failed: 'handle_once.failed',
  topic: 'messaging.destination.name',
} as const;

export type Label = keyof typeof LABELS;

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const MESSAGES = [1, 2, 5, 10, 20, 50, 100, 200, 500];

const one = () => 1;
const seconds = ({ durationMs }: Message) =>
  typeof durationMs === 'number' ? durationMs / 1_000 : undefined;
const field = (name: string) => (message: Message) => {
  const value = message[name];
  return typeof value === 'number' ? value : undefined;
};

/** By the end of the channel's name. */
export const METRICS: Readonly<Record<string, readonly Metric[]>> = {
  core: [
    {
      name: 'handle_once.events',
      kind: 'counter',
      description: 'Events of handleOnce: claims, replays, takeovers, lost leases and all others',
      labels: ['type', 'scope'],
      value: one,
    },
  ],
  adapter: [
    {
      name: 'handle_once.deliveries',
      kind: 'counter',
      description: 'Events of adapters: what became of messages at their brokers',
      labels: ['type', 'reason', 'warning', 'topic'],
      value: one,
    },
  ],
  handler: [
    {
      name: 'handle_once.handler.duration',
      kind: 'histogram',
      description: 'Duration of handlers, with parsing and validation',
      unit: 's',
      bounds: SECONDS,
      labels: ['scope', 'failed'],
      value: seconds,
    },
  ],
  statement: [
    {
      name: 'handle_once.statement.duration',
      kind: 'histogram',
      description: 'From sending a statement to its answer',
      unit: 's',
      bounds: SECONDS,
      labels: ['verb', 'scope', 'failed'],
      value: seconds,
    },
    {
      name: 'handle_once.statement.messages',
      kind: 'histogram',
      description: 'How many messages shared a statement',
      bounds: MESSAGES,
      labels: ['verb', 'scope'],
      value: field('messages'),
    },
  ],
  operations: [
    {
      name: 'handle_once.maintenance',
      kind: 'counter',
      description: 'Events of maintenance',
      labels: ['type'],
      value: one,
    },
    {
      name: 'handle_once.maintenance.finished',
      kind: 'gauge',
      description: 'When the last walk of this process ended, in seconds since 1970',
      labels: [],
      value: ({ type }) => (type === 'maintained' ? Date.now() / 1_000 : undefined),
    },
    {
      name: 'handle_once.records',
      kind: 'gauge',
      description: 'Records in the table, as that walk counted them',
      labels: [],
      value: field('records'),
    },
    {
      name: 'handle_once.records.abandoned',
      kind: 'gauge',
      description: 'Pending records that were not delivered again for a long time, as that walk counted them',
      labels: [],
      value: ({ type, abandoned }) => (type === 'maintained' ? Number(abandoned) : undefined),
    },
    {
      name: 'handle_once.records.purged',
      kind: 'counter',
      description: 'Records that the walks of this process deleted',
      labels: [],
      value: field('purged'),
    },
  ],
};
