import type { Child } from 'hono/jsx';
import type { DatabaseClient } from '../../src/postgres/database-client.ts';
import type { TablesOptions } from '../operations/tables.ts';
import type { Query } from './links.ts';
import type { Visitor } from './options.ts';

/** What a page knows of its request. */
export interface Context {
  readonly visitor: Visitor;
  /** Whether this visitor may change records here. */
  readonly mayAct: boolean;
  /** For what is read: the server refuses everything else. */
  readonly tables: TablesOptions & { readonly sql: DatabaseClient; readonly databaseSchema: string };
  /** By the database's clock, as all times of the records are. */
  readonly now: Date;
  readonly parameters: URLSearchParams;
  /** Of the forms on the page. Empty where it may have none. */
  readonly formToken: string;
}

/** One page: what it reads, which is also its JSON, and how that looks. */
export interface Page<Data = unknown> {
  /** Default: the name of its view. */
  readonly title?: (context: Context) => string;
  readonly read: (context: Context) => Promise<Data>;
  readonly look: (data: Data, context: Context) => Child;
  /** Whether it has forms that change something: then it is not read again by itself, below a finger. Default: no. */
  readonly hasForms?: (context: Context) => boolean;
}

export function page<Data>(of: Page<Data>): Page {
  return of as Page;
}

/** A request that is not answered. The message names the parameter and the fix. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}

const SPANS = {
  '15m': '15 minutes',
  '1h': 'hour',
  '6h': '6 hours',
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
};

/** The choices of a span of time, with the one of the address. */
export function spans(since: string): ReadonlyMap<string, string> {
  return new Map([[since, since], ...Object.entries(SPANS)]);
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The parameter `since` in milliseconds: any number of minutes, hours or days. */
export function sinceIn(context: Context) {
  const since = textIn(context, 'since') ?? '24h';
  const [, digits, unit = ''] = /^([1-9]\d{0,4})([mhd])$/.exec(since) ?? [];
  const sinceMs = Number(digits) * (UNIT_MS[unit] ?? NaN);
  if (!(sinceMs <= 3_650 * 86_400_000))
    throw new Refused('since must be a number of minutes, hours or days, such as 15m, 6h or 7d');
  return { since, sinceMs };
}

export function ago({ now }: Context, ms: number): Date {
  return new Date(now.getTime() - ms);
}

/** A filter as it stands in the address. */
export function queryOf(filter: Query): Query {
  return { ...filter, sinceMs: undefined };
}

/** Undefined where it is empty: a form sends every field. */
export function textIn({ parameters }: Context, name: string): string | undefined {
  const text = parameters.get(name) ?? '';
  return text === '' ? undefined : text;
}

/** One of some texts. */
export function choiceIn<Choice extends string>(context: Context, name: string, choices: readonly Choice[]) {
  const text = textIn(context, name);
  const choice = choices.find((each) => each === text);
  if (text !== undefined && choice === undefined)
    throw new Refused(`${name} must be one of ${choices.join(', ')}, or be left out`);
  return choice;
}
