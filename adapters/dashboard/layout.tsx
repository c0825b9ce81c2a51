import type { Child } from 'hono/jsx';
import { printable } from '../../src/lib/printable.ts';
import type { Context } from './context.ts';
import { linkTo, manual, STYLE_VIEW, type ViewName } from './links.ts';
import { moment } from './parts/words.ts';

const NAVIGATION: readonly (readonly [view: ViewName, name: string])[] = [
  ['overview', 'Overview'],
  ['messages', 'Messages'],
  ['failures', 'Failures'],
  ['health', 'Health'],
  ['audit', 'Audit'],
];

const REFRESH_SECONDS = [5, 30] as const;

/** In how many seconds the page is read again, where its address says so. */
export function refreshOf({ parameters }: Pick<Context, 'parameters'>): number | undefined {
  return REFRESH_SECONDS.find((seconds) => String(seconds) === parameters.get('refresh'));
}

/** A whole page, also where nothing can be read. */
export function shell(title: string, view: ViewName | undefined, children: Child) {
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
            {NAVIGATION.map(([each, name]) => (
              <a href={linkTo(each)} aria-current={each === view ? 'page' : undefined}>
                {name}
              </a>
            ))}
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
  const refresh = refreshOf(context);
  const given = Object.fromEntries(parameters);
  const here = (changed: Readonly<Record<string, string | undefined>>): string => {
    const { view = 'overview', ...query } = { ...given, ...changed };
    return linkTo(view as ViewName, query);
  };
  return (
    <footer>
      <p>
        Read at {moment(now)} by the database’s clock, as {printable(visitor.name)}.{' '}
        <a href={here({})}>Read again</a>
        {canRefresh && (
          <>
            , each{' '}
            <span class="nowrap">
              {REFRESH_SECONDS.map((seconds) => (
                <>
                  <a
                    href={here({ refresh: String(seconds) })}
                    aria-current={refresh === seconds ? 'true' : undefined}
                  >
                    {seconds} s
                  </a>{' '}
                </>
              ))}
              <a href={here({ refresh: undefined })}>off</a>
            </span>
          </>
        )}
      </p>
      <p>
        <a href={here({ format: 'json', refresh: undefined })}>This page as JSON</a>{' '}
        <a href={manual('dashboard.md')} rel="noreferrer">
          Manual
        </a>
      </p>
    </footer>
  );
}
