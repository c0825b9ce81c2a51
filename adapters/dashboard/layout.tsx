import type { Child } from 'hono/jsx';
import { printable } from '../../src/lib/printable.ts';
import type { Context } from './page.ts';
import { manual, type Query, STYLE_VIEW, type View } from './links.ts';
import { link } from './parts/values.tsx';
import { capital, moment } from './parts/words.ts';

const NAVIGATION: readonly View[] = ['overview', 'messages', 'failures', 'health', 'audit'];

const REFRESH_SECONDS = [5, 30] as const;

/** In how many seconds the page is read again, where its address says so. */
export function refreshOf({ parameters }: Pick<Context, 'parameters'>): number | undefined {
  return REFRESH_SECONDS.find((seconds) => String(seconds) === parameters.get('refresh'));
}

/** A whole page, also where nothing can be read. */
export function shell(title: string, view: View | undefined, children: Child) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${printable(title)} · handle-once`}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={`?view=${STYLE_VIEW}`} />
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header>
          <strong>handle-once</strong>
          <nav aria-label="Pages">
            {NAVIGATION.map((each) => link(capital(each), each, {}, each === view ? 'page' : undefined))}
          </nav>
        </header>
        <main id="content">
          <h1>{printable(title)}</h1>
          {children}
        </main>
      </body>
    </html>
  );
}

/** Below every page: when it was read, the same as JSON, and how often it is read again. */
export function footer(context: Context, canRefresh: boolean) {
  const { now, visitor, parameters } = context;
  const { view = 'overview', ...query } = Object.fromEntries(parameters);
  const here = (text: string, changed: Query = {}, current?: 'true') =>
    link(text, view as View, { ...query, ...changed }, current);
  const each = (seconds: number) =>
    here(`${seconds} s`, { refresh: seconds }, seconds === refreshOf(context) ? 'true' : undefined);
  return (
    <footer>
      <p>
        Read at {moment(now)} by the database’s clock, as {printable(visitor.name)}. {here('Read again')}
        {canRefresh && [
          ', each ',
          <span class="nowrap">
            {REFRESH_SECONDS.map((seconds) => [each(seconds), ' '])}
            {here('off', { refresh: undefined })}
          </span>,
        ]}
      </p>
      <p>
        {here('This page as JSON', { format: 'json', refresh: undefined })}{' '}
        <a href={manual('dashboard.md')} rel="noreferrer">
          Manual
        </a>
      </p>
    </footer>
  );
}
