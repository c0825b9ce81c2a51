import { fingerprint } from '../../../src/payload/fingerprint.ts';
import { Random } from '../time/random.ts';
import { type Behaviour, behaviourOf, doomed, PLAIN } from './behaviour.ts';
import type { NetworkPlan, Outage, Rates, Side } from './network-plan.ts';
import { type Settings, settingsBeside, settingsOf } from './settings.ts';
import type { Identity, PlanTerms } from './terms.ts';

/** A message that a producer sends. */
export interface PlannedMessage {
  /** Its `MessageId`. */
  readonly id: string;
  /** Undefined: it has none, and is refused. */
  readonly key: string | undefined;
  /** What it is sent in order with, where there is an order. */
  readonly group: string;
  readonly body: string;
  /** Of the body, as records keep it. */
  readonly fingerprint: string;
  /** Infinity for a spare one. */
  readonly sentAt: number;
}

/** What happens to a worker, or to a record, at some time. */
export type Incident =
  | { readonly at: number; readonly what: 'database clock'; readonly ms: number }
  | { readonly at: number; readonly what: 'purge' | 'redrive' }
  | { readonly at: number; readonly what: 'death' | 'deployment'; readonly worker: number }
  | {
      readonly at: number;
      readonly what: 'standstill' | 'suspension' | 'pause' | 'clock change';
      readonly worker: number;
      readonly ms: number;
    }
  | { readonly at: number; readonly what: 'retry' | 'forget'; readonly key: string };

/** Everything that a seed decides before its world begins. */
export interface Plan {
  readonly seed: number;
  /** Of the records of its messages. */
  readonly scope: string;
  readonly settings: Settings;
  /** Of every second worker, where a deployment of other settings is under way. */
  readonly settingsBeside: Settings | undefined;
  readonly messages: readonly PlannedMessage[];
  /** What another scope of the same store gets, with keys that are messages' too. */
  readonly neighbours: readonly PlannedMessage[];
  /** What is sent at the end as far as there were few deliveries. */
  readonly spares: readonly PlannedMessage[];
  readonly incidents: readonly Incident[];
  readonly network: NetworkPlan;
  readonly areClocksWrong: boolean;
  /** Whether other transactions lock records now and then. */
  readonly locks: boolean;
  /** Whether the queue delivers twice, forgets deletes and refuses entries now and then. */
  readonly queueForgets: boolean;
  /** What the handler of a key does in its first runs, and then in all others. */
  readonly behaviours: ReadonlyMap<string, readonly Behaviour[]>;
  /** For what is drawn while the world runs. */
  readonly random: Random;
}

/** What one worker is set to. */
export function settingsOfWorker(
  { settings, settingsBeside }: Pick<Plan, 'settings' | 'settingsBeside'>,
  worker: string,
): Settings {
  return Number(worker.at(-1)) % 2 === 0 ? (settingsBeside ?? settings) : settings;
}

export function planOf(seed: number, { identity, fit, fitBeside = (all) => all }: PlanTerms): Plan {
  const random = new Random(seed);
  // Of what not every surface has: the plans of others do not change with it.
  const apart = new Random(~seed);
  // Of what is decided for each seed alone: where it is not chosen, nothing else changes with it.
  const extra = new Random(seed ^ EXTRA);
  const settings = fit(settingsOf(random), apart);
  const calmFrom = random.between(20_000, 45_000);
  const start = random.chance(0.1) ? badStart(random, settings) : GOOD_START;
  const keys = Array.from(
    { length: random.whole(10, 13) },
    (_, index) => `${identity.keyPrefix}key-${index + 1}`,
  );
  const neighbours = extra.chance(EXTRA_SHARE) ? neighboursOf(extra, keys, calmFrom) : [];
  const behaviours = new Map(keys.map((key) => [key, behavioursOf(random, settings)]));
  for (const { key = '' } of neighbours) behaviours.set(key, behavioursOf(extra, settings));
  return {
    seed,
    scope: identity.scope,
    settings,
    settingsBeside: extra.chance(EXTRA_SHARE) ? fitBeside(settingsBeside(settings, extra)) : undefined,
    messages: messagesOf(random, apart, identity, keys, calmFrom),
    neighbours,
    spares: sparesOf(identity),
    incidents: [
      ...start.incidents,
      ...incidentsOf(random, settings, keys, calmFrom),
      ...extraIncidentsOf(extra, settings, calmFrom),
    ],
    network: networkOf(random, settings, calmFrom, start.outages),
    areClocksWrong: random.chance(0.5),
    locks: random.chance(0.3),
    queueForgets: random.chance(0.6),
    behaviours,
    random: random.fork(),
  };
}

const EXTRA = 0x5eed;
/** How many seeds have each of the extras. */
const EXTRA_SHARE = 0.25;

const GROUPS = 5;

/** Each seed has so many. */
export const FEWEST_DELIVERIES = 20;

/** Nothing special is planned for them. */
function sparesOf({ keyPrefix, fingerprintOf }: Identity): PlannedMessage[] {
  return Array.from({ length: FEWEST_DELIVERIES }, (_, index) => {
    const key = `${keyPrefix}spare-${index + 1}`;
    const body = bodyOf(key, 'one');
    const group = `group-${(index % GROUPS) + 1}`;
    return {
      id: `s${index + 1}`,
      key,
      group,
      body,
      fingerprint: fingerprintOf(body),
      sentAt: Infinity,
    };
  });
}

function bodyOf(key: string | undefined, order: 'one' | 'another'): string {
  return JSON.stringify({ ...(key === undefined ? {} : { key }), order });
}

export const NEIGHBOUR_SCOPE = 'neighbour';
/** What the names of its keys begin with, here and in facts. */
export const NEIGHBOUR_PREFIX = 'neighbour/';

export function isOfNeighbour(name: string): boolean {
  return name.startsWith(NEIGHBOUR_PREFIX);
}

/** Some of the same bodies, and some of others. */
function neighboursOf(random: Random, keys: readonly string[], calmFrom: number): PlannedMessage[] {
  return keys.map((key, index) => {
    const body = bodyOf(key, random.pick(['one', 'another']));
    const sentAt = random.between(0, calmFrom * 0.8);
    return {
      id: `n${index + 1}`,
      key: NEIGHBOUR_PREFIX + key,
      group: '',
      body,
      fingerprint: fingerprint(body),
      sentAt,
    };
  });
}

/** One message for each key, and some more that have the key of another, or none. */
function messagesOf(
  random: Random,
  apart: Random,
  { fingerprintOf }: Identity,
  keys: readonly string[],
  calmFrom: number,
): PlannedMessage[] {
  const more = Array.from({ length: 5 }, () => (random.chance(0.1) ? undefined : random.pick(keys)));
  return [...keys, ...more].map((key, index) => {
    const isOther = index >= keys.length && random.chance(0.3);
    const body = bodyOf(key, isOther ? 'another' : 'one');
    const sentAt = random.between(0, random.chance(0.2) ? 1_000 : calmFrom * 0.8);
    const group = `group-${apart.whole(1, GROUPS)}`;
    return { id: `m${index + 1}`, key, group, body, fingerprint: fingerprintOf(body), sentAt };
  });
}

/** Where records expire before their messages come again, two that kill one process in turns have no end. */
const MOST_KILLS = 20;
const REDELIVERED_WITHIN_MS = 60_000;

function behavioursOf(random: Random, { leaseMs, retentionMs }: Settings): readonly Behaviour[] {
  if (random.chance(0.06)) return [doomed('throws')];
  if (random.chance(0.03)) {
    const kills = doomed('kills its process');
    return retentionMs > REDELIVERED_WITHIN_MS
      ? [kills]
      : [...new Array<Behaviour>(MOST_KILLS).fill(kills), PLAIN];
  }
  const planned = Array.from({ length: random.whole(0, 3) }, () => behaviourOf(random, leaseMs));
  return [...planned, PLAIN];
}

function incidentsOf(
  random: Random,
  { workers, leaseMs }: Settings,
  keys: readonly string[],
  calmFrom: number,
): Incident[] {
  const what = kindsOf(random);
  if (what.length === 0) return [];
  return Array.from({ length: random.whole(2, 8) }, () => {
    const at = random.between(500, calmFrom);
    const kind = random.pick(what);
    const worker = random.whole(0, workers - 1);
    switch (kind) {
      case 'death':
      case 'deployment':
        return { at, what: kind, worker };
      case 'standstill':
      case 'suspension':
        return { at, what: kind, worker, ms: random.between(0.1, 3) * leaseMs };
      case 'clock change':
        return { at, what: kind, worker, ms: random.between(-1, 1) * 10 ** random.whole(2, 10) };
      case 'retry':
      case 'forget':
        return { at, what: kind, key: random.pick(keys) };
    }
  });
}

function extraIncidentsOf(random: Random, { workers, leaseMs }: Settings, calmFrom: number): Incident[] {
  const some = (make: (at: number) => Incident): Incident[] =>
    random.chance(EXTRA_SHARE)
      ? Array.from({ length: random.whole(2, 10) }, () => make(random.between(500, calmFrom)))
      : [];
  return [
    ...some((at) => {
      const worker = random.whole(0, workers - 1);
      return { at, what: 'pause', worker, ms: random.between(0.1, 3) * leaseMs };
    }),
    ...some((at) => ({ at, what: 'purge' })),
    ...some((at) => ({ at, what: 'redrive' })),
    ...some((at) => ({ at, what: 'database clock', ms: random.between(-3, 3) * leaseMs })),
  ];
}

/** One clock of a machine tells of a suspension: who sets that at the same time hides it from the worker. */
function kindsOf(random: Random) {
  const kinds = ['death', 'deployment', 'standstill', 'retry', 'forget'] as const;
  const chosen = kinds.filter(() => random.chance(0.5));
  return [...chosen, random.pick(['suspension', 'clock change'] as const)];
}

function networkOf(
  random: Random,
  { workers, leaseMs }: Settings,
  calmFrom: number,
  earlier: readonly Outage[],
): NetworkPlan {
  const more = Array.from({ length: random.whole(0, 3) }, () => outageOf(random, workers, leaseMs, calmFrom));
  const rates = { store: ratesOf(random), broker: ratesOf(random) };
  return { rates, outages: [...earlier, ...more], calmFrom, leaseMs };
}

/** How a world begins. */
interface Start {
  readonly incidents: readonly Incident[];
  readonly outages: readonly Outage[];
}

const GOOD_START: Start = { incidents: [], outages: [] };

/** The store does not answer the first messages, and every worker is replaced by a deployment meanwhile. */
function badStart(random: Random, { workers }: Settings): Start {
  const outage = { side: 'store', from: 0, to: 6_000, worker: undefined, isSilent: true } as const;
  const incidents = Array.from({ length: workers }, (_, worker) => {
    return { at: random.between(1_500, 6_000), what: 'deployment', worker } as const;
  });
  return { incidents, outages: [outage] };
}

function ratesOf(random: Random): Rates {
  const rate = (): number => (random.chance(0.5) ? random.between(0.01, 0.06) : 0);
  return { requestLost: rate(), replyLost: rate(), late: rate(), slow: rate() };
}

function outageOf(random: Random, workers: number, leaseMs: number, calmFrom: number): Outage {
  const side: Side = random.pick(['store', 'broker']);
  const from = random.between(0, calmFrom * 0.9);
  const to = Math.min(calmFrom, from + random.between(0.2, 4) * leaseMs);
  const worker = random.chance(0.5) ? `worker-${random.whole(1, workers)}` : undefined;
  return { side, from, to, worker, isSilent: random.chance(0.4) };
}
