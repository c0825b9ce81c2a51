import type { Child } from 'hono/jsx';
import type { Context } from './context.ts';
import type { Query } from './links.ts';

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

/** What the address of a page asks for cannot be. The message names the parameter and the fix. */
export class BadRequest extends Error {
  override readonly name = 'BadRequest';
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
export function sinceIn(context: Context): { since: string; sinceMs: number } {
  const since = textIn(context, 'since') ?? '24h';
  const [, digits, unit = ''] = /^([1-9]\d{0,4})([mhd])$/.exec(since) ?? [];
  const sinceMs = Number(digits) * (UNIT_MS[unit] ?? NaN);
  if (!(sinceMs <= 3_650 * 86_400_000)) {
    throw new BadRequest('since must be a number of minutes, hours or days, such as 15m, 6h or 7d');
  }
  return { since, sinceMs };
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
export function choiceIn<Choice extends string>(
  context: Context,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = textIn(context, name);
  const choice = choices.find((each) => each === text);
  if (text !== undefined && choice === undefined)
    throw new BadRequest(`${name} must be one of ${choices.join(', ')}, or be left out`);
  return choice;
}
