import type { Attributes, Meter, ObservableResult } from '@opentelemetry/api';
import { type Label, LABELS, type Message, type Metric } from './table.ts';

/** A metric that records. */
export interface Instrument {
  readonly record: (message: Message) => void;
  readonly stop: () => void;
}

export function createInstrument(meter: Meter, metric: Metric): Instrument {
  return metric.kind === 'counter' ? createCounter(meter, metric) : createRecorder(meter, metric);
}

/** Counted here and read by the exporter: a counter of the SDK takes ten times as long for each event. */
function createCounter(meter: Meter, { name, description, labels, value }: Metric): Instrument {
  const counts = createSeries(labels, () => ({ total: 0 }));
  const counter = meter.createObservableCounter(name, { description });

  function observe(result: ObservableResult): void {
    for (const { attributes, kept } of counts.all()) result.observe(kept.total, attributes);
  }

  counter.addCallback(observe);
  return {
    record(message) {
      const amount = value(message);
      if (amount !== undefined) counts.of(message).kept.total += amount;
    },
    stop() {
      counter.removeCallback(observe);
    },
  };
}

function createRecorder(meter: Meter, { kind, name, labels, value, bounds, ...options }: Metric): Instrument {
  const instrument =
    kind === 'gauge'
      ? meter.createGauge(name, options)
      : meter.createHistogram(name, { ...options, advice: { explicitBucketBoundaries: bounds ?? [] } });
  const series = createSeries(labels, () => undefined);
  return {
    record(message) {
      const found = value(message);
      if (found !== undefined) instrument.record(found, series.of(message).attributes);
    },
    stop: () => undefined,
  };
}

interface Series<Kept> {
  readonly attributes: Attributes;
  readonly kept: Kept;
}

/** By the value of the first label, then of the next: to join the values into one key takes longer. */
interface Branch<Kept> {
  readonly next: Map<string, Branch<Kept>>;
  series?: Series<Kept>;
}

/** What is kept for each combination of labels. */
function createSeries<Kept>(labels: readonly Label[], create: () => Kept) {
  const known: Series<Kept>[] = [];
  const root: Branch<Kept> = { next: new Map() };

  function branchOf(message: Message): Branch<Kept> {
    let branch = root;
    for (const label of labels) {
      const text = textOf(message[label]);
      let next = branch.next.get(text);
      if (next === undefined) branch.next.set(text, (next = { next: new Map() }));
      branch = next;
    }
    return branch;
  }

  function add(message: Message): Series<Kept> {
    const series = { attributes: attributesOf(labels, message), kept: create() };
    known.push(series);
    return series;
  }

  return {
    all: () => known,
    of(message: Message): Series<Kept> {
      const branch = branchOf(message);
      return (branch.series ??= add(message));
    },
  };
}

function attributesOf(labels: readonly Label[], message: Message): Attributes {
  const pairs = labels.map((label) => [LABELS[label], textOf(message[label])] as const);
  return Object.fromEntries(pairs.filter(([, text]) => text !== ''));
}

/**
 * Labels are words, names and flags: no object is among them. A flag is a label where it is true: the SDK hashes all
 * labels for each value of a histogram, 0.4 us of CPU each.
 */
function textOf(value: unknown): string {
  if (value === true) return 'true';
  return typeof value === 'string' ? value : '';
}
