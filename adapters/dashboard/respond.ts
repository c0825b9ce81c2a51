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

function respond(
  body: string,
  type: string,
  status: number,
  more: Readonly<Record<string, string>>,
): Response {
  return new Response(body, { status, headers: { ...HEADERS, 'content-type': type, ...more } });
}

export function html(page: Child, status = 200, more: Readonly<Record<string, string>> = {}): Response {
  return respond(`<!doctype html>${renderToString(page)}`, 'text/html; charset=utf-8', status, more);
}

export function json(data: unknown, status = 200): Response {
  return respond(JSON.stringify(data, undefined, 2), 'application/json; charset=utf-8', status, {});
}

export function css(text: string): Response {
  return respond(text, 'text/css; charset=utf-8', 200, {});
}

/** To a page by its query, which the browser reads against the address of the form. */
export function seeOther(location: string): Response {
  return new Response(null, { status: 303, headers: { ...HEADERS, location } });
}
