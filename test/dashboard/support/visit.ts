import { createDashboard, type Dashboard, type DashboardOptions, type Visitor } from 'handle-once/dashboard';

export const SECRET = 'a secret of thirty-two characters';
export const ADDRESS = 'http://queue.test/admin/queue';

export const ALICE: Visitor = { name: 'alice', rights: ['act', 'results'] };

/** A dashboard that takes everybody for one visitor. */
export function dashboardFor(visitor: Visitor, options: Omit<DashboardOptions, 'authorize'>): Dashboard {
  return createDashboard({ authorize: () => visitor, actions: { secret: SECRET }, ...options });
}

/** What a page shows, and what it is answered with. */
export async function get(dashboard: Dashboard, query = ''): Promise<{ response: Response; text: string }> {
  const response = await dashboard(new Request(`${ADDRESS}?${query}`));
  return { response, text: await response.text() };
}

export async function getJson(dashboard: Dashboard, query: string): Promise<unknown> {
  const { text } = await get(dashboard, `${query}&format=json`);
  return JSON.parse(text);
}

/** The token of the forms of a page. */
export async function tokenOf(dashboard: Dashboard, query: string): Promise<string> {
  const { text } = await get(dashboard, query);
  return /name="token" value="([^"]+)"/.exec(text)?.[1] ?? '';
}

/** Sends a form as a browser sends one of the same site. */
export function post(
  dashboard: Dashboard,
  query: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = { 'sec-fetch-site': 'same-origin' },
): Promise<Response> {
  const body = new URLSearchParams(fields);
  return dashboard(new Request(`${ADDRESS}?${query}`, { method: 'POST', headers, body }));
}

/** Opens a page, and sends its form of an action, with what that has hidden. */
export async function send(
  dashboard: Dashboard,
  query: string,
  fields: Readonly<Record<string, string>>,
): Promise<Response> {
  return await post(dashboard, query, { ...(await hiddenIn(dashboard, query, fields['action'])), ...fields });
}

/** The hidden fields of a form. */
export async function hiddenIn(
  dashboard: Dashboard,
  query: string,
  action = '',
): Promise<Record<string, string>> {
  const { text } = await get(dashboard, query);
  const forms = text.split('<form').filter((form) => form.includes('method="post"'));
  const form = forms.find((each) => each.includes(`name="action" value="${action}"`)) ?? forms[0] ?? '';
  const hidden = form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g);
  return Object.fromEntries(Array.from(hidden, ([, name = '', value = '']) => [name, value]));
}
