import { parseOptions } from '../../src/options/parse-options.ts';
import { sqlState } from '../../src/postgres/error-layers.ts';
import { toDatabaseClient } from '../../src/postgres/sql-client.ts';
import { InvalidOptionsError, SchemaError, StoreError } from '../../src/words/errors.ts';
import { databaseNow } from '../operations/database-now.ts';
import { act } from './act.ts';
import { readingClient, REPLY_TIMEOUT_MS } from './bounded-client.ts';
import { fieldsOf, formToken } from './form.ts';
import { footer, refreshOf, shell } from './layout.tsx';
import { STYLE_VIEW, type View } from './links.ts';
import { type DashboardOptions, dashboardOptions, type Right, RIGHTS, type Visitor } from './options.ts';
import { type Context, type Page, Refused } from './page.ts';
import { capital } from './parts/words.ts';
import { action, audit } from './pages/audit.tsx';
import { failures } from './pages/failures.tsx';
import { health } from './pages/health.tsx';
import { message } from './pages/message.tsx';
import { messages } from './pages/messages.tsx';
import { overview } from './pages/overview.tsx';
import { retry } from './pages/retry.tsx';
import { css, html, json, seeOther } from './respond.ts';
import { STYLE } from './style.ts';

/** Answers the requests of one address, at any path. */
export type Dashboard = (request: Request) => Promise<Response>;

const METHODS = ['GET', 'HEAD', 'POST'];

const PAGES = { overview, messages, message, failures, health, retry, audit, action };

/**
 * Pages that show the records, the messages that failed, and why one ran twice. Without `actions` it is read-only.
 * Mount it at any one path: its pages differ only by the query.
 *
 * No page has a script, and payloads are not in the records. Each page is read by read-only transactions that the
 * server ends after five seconds, a count of failed records after thirty; none waits for a worker. The function rejects
 * with what `authorize` throws. Throws `InvalidOptionsError`.
 *
 * @example
 * ```ts
 * import { createDashboard } from 'handle-once/dashboard';
 * import { Hono } from 'hono';
 *
 * const dashboard = createDashboard({
 *   sql,
 *   authorize: (request) => {
 *     const name = request.headers.get('x-user'); // from your proxy, which removes what clients send
 *     return name === null ? undefined : { name };
 *   },
 * });
 * const app = new Hono();
 * app.all('/queue', (c) => dashboard(c.req.raw));
 * ```
 */
export function createDashboard(options: DashboardOptions): Dashboard {
  const settings = parseOptions('createDashboard', dashboardOptions(), options);
  const { sql, databaseSchema, authorize, actions } = settings;
  const client = toDatabaseClient(sql);
  const tables = { sql: readingClient(client), databaseSchema, replyTimeoutMs: REPLY_TIMEOUT_MS };

  async function answer(request: Request, visitor: Visitor, parameters: URLSearchParams): Promise<Response> {
    const mayAct = actions !== undefined && (visitor.rights ?? []).includes('act');
    const token = mayAct ? formToken(actions.secret, visitor) : '';
    const now = await databaseNow(tables);
    const context = { visitor, mayAct, tables, now, parameters, formToken: token };
    if (request.method !== 'POST') return await show(context);
    if (!mayAct) throw new Refused('This dashboard is read-only.', 403);
    const fields = await fieldsOf(request, actions.secret, visitor);
    return seeOther(await act({ context, audit: { client, databaseSchema }, fields }));
  }

  return async (request) => {
    const parameters = new URL(request.url).searchParams;
    if (!METHODS.includes(request.method))
      return refused('Only GET, HEAD and POST are taken here.', 405, false, { allow: METHODS.join(', ') });
    if (parameters.get('view') === STYLE_VIEW) return css(STYLE);
    const visitor = await authorize(request);
    if (visitor instanceof Response) return visitor;
    const asJson = parameters.get('format') === 'json';
    if (visitor === undefined) return refused('You may not see this dashboard.', 403, asJson);
    try {
      return await answer(request, requireVisitor(visitor), parameters);
    } catch (error) {
      return refusalOf(error, asJson);
    }
  };
}

const LONGEST_NAME = 200;

/** Throws `TypeError`: without a name an audit is worthless, and what is no list of rights could be read as one. */
function requireVisitor(visitor: Visitor): Visitor {
  const { name, rights = [] }: Partial<Visitor> = visitor;
  const isNamed = typeof name === 'string' && name !== '' && name.length <= LONGEST_NAME;
  const hasRights = Array.isArray(rights) && rights.every((right) => RIGHTS.includes(right as Right));
  if (typeof visitor === 'object' && isNamed && hasRights) return visitor;
  throw new TypeError(
    `authorize must return { name, rights } or undefined: a name of 1 to ${LONGEST_NAME} characters, and a list of ` +
      `rights of '${RIGHTS.join("' and '")}'`,
  );
}

async function show(context: Context): Promise<Response> {
  const { parameters } = context;
  const view = parameters.get('view') ?? 'overview';
  if (!Object.hasOwn(PAGES, view)) throw new Refused(`view must be one of ${Object.keys(PAGES).join(', ')}`);
  const page: Page = PAGES[view as View];
  const data = await page.read(context);
  if (parameters.get('format') === 'json') return json(data);
  const canRefresh = page.hasForms?.(context) !== true;
  const refresh = canRefresh ? refreshOf(context) : undefined;
  const title = page.title?.(context) ?? capital(view);
  const whole = shell(title, view as View, [page.look(data, context), footer(context, canRefresh)]);
  return html(whole, 200, refresh === undefined ? {} : { refresh: String(refresh) });
}

const LACKS_A_RIGHT =
  'The role of the dashboard lacks a right: run what npx handle-once grants ROLE --for read prints, or --for ' +
  'operate if records are retried and forgotten.';

/** What the server says of the statements of a page, by SQLSTATE. */
const SERVER_SAYS: Readonly<Record<string, readonly [status: number, text: string]>> = {
  '22008': [400, 'A time in the address is not valid.'],
  '22021': [400, 'The address has a character that the database cannot store.'],
  '22P02': [400, 'A number in the address is not valid.'],
  '42501': [503, LACKS_A_RIGHT],
  '55P03': [503, 'Another process holds a lock that this page needs. Try again.'],
  '57014': [503, 'The database took too long. Ask for less: a shorter time, a scope, or a key.'],
};

/** Throws what is no answer to a visitor: a mistake of ours or of `authorize`. */
function refusalOf(error: unknown, asJson: boolean): Response {
  if (error instanceof Refused) return refused(sentence(error.message), error.status, asJson);
  if (error instanceof InvalidOptionsError) {
    const issues = error.issues.map(({ field, message }) => `${field} ${message}`);
    return refused(sentence(issues.join('; ')), 400, asJson);
  }
  const [status, text] = SERVER_SAYS[sqlState(error) ?? ''] ?? [];
  if (status !== undefined && text !== undefined) return refused(text, status, asJson);
  if (error instanceof SchemaError || error instanceof StoreError)
    return refused(sentence(error.message), 503, asJson);
  throw error;
}

function sentence(text: string): string {
  return `${capital(text)}${text.endsWith('.') ? '' : '.'}`;
}

function refused(text: string, status: number, asJson: boolean, more?: Record<string, string>): Response {
  if (asJson) return json({ error: text }, status);
  return html(shell('Not shown', undefined, <p class="warning">{text}</p>), status, more);
}
