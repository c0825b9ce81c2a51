import type { Child } from 'hono/jsx';
import { renderToString } from 'hono/jsx/dom/server';

const POLICY =
  "default-src 'none'; base-uri 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'";

/** What every answer has: nothing runs, nothing is kept, and no other site learns of it. */
const HEADERS = {
  'content-security-policy': POLICY,
  // With no-referrer a browser sends forms with the origin null.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

type Fields = Readonly<Record<string, string>>;

function respond(body: string | null, status: number, headers: Fields): Response {
  return new Response(body, { status, headers: { ...HEADERS, ...headers } });
}

export function html(page: Child, status = 200, more: Fields = {}): Response {
  const headers = { 'content-type': 'text/html; charset=utf-8', ...more };
  return respond(`<!doctype html>${renderToString(page)}`, status, headers);
}

export function json(data: unknown, status = 200): Response {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return respond(JSON.stringify(data, undefined, 2), status, headers);
}

export function css(text: string): Response {
  return respond(text, 200, { 'content-type': 'text/css; charset=utf-8' });
}

/** To a page by its query, which the browser reads against the address of the form. */
export function seeOther(location: string): Response {
  return respond(null, 303, { location });
}
