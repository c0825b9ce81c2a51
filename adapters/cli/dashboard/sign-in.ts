import type { Visitor } from '../../dashboard/index.ts';
import { isSameSecret } from '../../shared/is-same-secret.ts';

/** A request needs the printed token, and one of the names of this host. */
export interface SignIn {
  readonly port: number;
  readonly token: string;
  readonly visitor: Visitor;
}

const HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const;

/** A page of another site can have its name point to this host. */
const NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * The visitor, or an answer: with the token in the address it becomes a cookie, and leaves the address, which is in the
 * history of a browser.
 */
export function signIn({ port, token, visitor }: SignIn, request: Request): Visitor | Response {
  const isOurs = (host: string): boolean =>
    NAMES.some((name) => host === `${name}:${port}` || (port === 80 && host === name));
  if (!isOurs(request.headers.get('host') ?? ''))
    return refuse(421, 'Open the address that the command printed: this is a different host.');
  const url = new URL(request.url);
  const given = url.searchParams.get('token');
  const cookie = `handle_once_${port}`;
  if (given === null) {
    return isSameSecret(cookieOf(request, cookie), token)
      ? visitor
      : refuse(403, 'Open the address that the command printed, with its token.');
  }
  if (!isSameSecret(given, token))
    return refuse(403, 'This token belongs to another run. Open the address that this run printed.');
  url.searchParams.delete('token');
  const secure = request.headers.get('x-forwarded-proto') === 'https' ? '; Secure' : '';
  return new Response(null, {
    status: 303,
    headers: {
      ...HEADERS,
      location: `?${url.searchParams.toString()}`,
      'set-cookie': `${cookie}=${token}; HttpOnly; SameSite=Strict; Path=/${secure}`,
    },
  });
}

function refuse(status: number, text: string): Response {
  return new Response(`${text}\n`, {
    status,
    headers: { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' },
  });
}

function cookieOf(request: Request, name: string): string {
  const cookies = (request.headers.get('cookie') ?? '').split(';').map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}
