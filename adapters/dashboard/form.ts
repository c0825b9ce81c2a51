import { createHmac } from 'node:crypto';
import { isSameSecret } from '../shared/is-same-secret.ts';
import type { Visitor } from './options.ts';
import { Refused } from './page.ts';

/** A form that was opened in this span of time or the one before may be sent. */
const SPAN_MS = 12 * 3_600_000;

/** Signs the forms of a visitor: another site cannot read a page, and so cannot send one. */
export function formToken(secret: string, { name }: Visitor, spansAgo = 0): string {
  const span = Math.floor(Date.now() / SPAN_MS) - spansAgo;
  return createHmac('sha256', secret)
    .update(JSON.stringify([name, span]))
    .digest('base64url');
}

/** Whether the page that sends a form is one of this host. */
function isFromHere(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  const origin = request.headers.get('origin');
  if (origin === null || !URL.canParse(origin)) return false;
  return new URL(origin).host === (request.headers.get('host') ?? new URL(request.url).host);
}

/** A key has at most 1,536 bytes, three times as many when it is encoded. */
const LARGEST_BYTES = 16_384;
const FORM = 'application/x-www-form-urlencoded';

const EMPTY = 'The form is empty. Mount the dashboard before body parsers: they leave nothing to read.';

/** The fields of a form that a visitor has sent from a page of ours. Throws `Refused`. */
export async function fieldsOf(request: Request, secret: string, visitor: Visitor): Promise<URLSearchParams> {
  if (!isFromHere(request)) throw new Refused('The form was sent from another site.', 403);
  if (request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() !== FORM)
    throw new Refused(`A form must be sent as ${FORM}.`, 403);
  const body = request.bodyUsed ? '' : await textOf(request);
  if (body === '') throw new Refused(EMPTY, 403);
  const fields = new URLSearchParams(body);
  const token = fields.get('token') ?? '';
  const isOurs = [0, 1].some((spansAgo) => isSameSecret(token, formToken(secret, visitor, spansAgo)));
  if (!isOurs) throw new Refused('The form is too old, or of another visitor: open its page again.', 403);
  return fields;
}

/** Throws `Refused` where it is larger than a form of ours. */
async function textOf(request: Request): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > LARGEST_BYTES) throw new Refused('The form is too large.', 403);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
