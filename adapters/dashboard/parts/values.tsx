import type { Child } from 'hono/jsx';
import { printable } from '../../../src/lib/printable.ts';
import { PHASES } from '../../operations/filter.ts';
import { linkTo, type Query, type View } from '../links.ts';
import { count, moment, relative } from './words.ts';

/** What a cell or a fact holds. A text may come from a producer; a time is relative to the time of the page. */
export type Value = Child | Date;

export function shown(value: Value, now: Date): Child {
  if (typeof value === 'string') return given(value);
  if (typeof value === 'number') return count(value);
  if (!(value instanceof Date)) return value;
  // A damaged column can hold `infinity`.
  if (Number.isNaN(value.getTime())) return moment(value);
  return (
    <time datetime={value.toISOString()} title={moment(value)}>
      {relative(value, now)}
    </time>
  );
}

/** A text that a producer may have chosen: a key, a scope, an error. Its controls are shown as escapes. */
export function given(text: string) {
  return <bdi class="given">{printable(text)}</bdi>;
}

/** To a page of the dashboard. */
export function link(text: Child, view: View, query: Query = {}, current?: 'page' | 'true') {
  return (
    <a href={linkTo(view, query)} aria-current={current}>
      {text}
    </a>
  );
}

/** To the page of a message. */
export function messageLink({ scope, key }: { readonly scope: string; readonly key: string }) {
  return link(given(key), 'message', { scope, key });
}

const COLOURED: readonly string[] = [...PHASES, 'gone'];

/** What a delivery would find now, as a word with a colour. */
export function phaseOf(phase: string) {
  const colour = COLOURED.includes(phase) ? phase : '';
  return <span class={`phase ${colour}`}>{given(phase.replace('-', ' '))}</span>;
}

/** Names and what they stand for. What is undefined is left out. */
export function facts(now: Date, all: Readonly<Record<string, Value>>) {
  const known = Object.entries(all).filter(([, value]) => value !== undefined);
  return <dl>{known.map(([name, value]) => [<dt>{name}</dt>, <dd>{shown(value, now)}</dd>])}</dl>;
}

interface Table<Row> {
  readonly caption: string;
  readonly now: Date;
  readonly rows: readonly Row[];
  /** Said in place of a table without rows. */
  readonly empty: string;
  /** The names of the columns, and the cell of a row. */
  readonly columns: Readonly<Record<string, (row: Row) => Value>>;
}

/** Numbers stand at the right. On a narrow screen each row is a list with the names of its columns. */
export function table<Row>({ caption, now, rows, empty, columns }: Table<Row>) {
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  const cells = rows.map((row) => Object.values(columns).map((cell) => cell(row)));
  const names = Object.keys(columns);
  const classes = cells[0]?.map((value) => (typeof value === 'number' ? 'number' : undefined)) ?? [];
  return (
    <div class="scroll" role="region" aria-label={caption} tabindex={0}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {names.map((name, place) => (
              <th scope="col" class={classes[place]}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {cells.map((row) => (
            <tr>
              {row.map((value, place) => (
                <td class={classes[place]} data-name={names[place]}>
                  {shown(value, now)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
