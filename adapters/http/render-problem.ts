import { type Problem, PROBLEMS } from './problem.ts';
import type { WholeResponse } from './whole-response.ts';

/** Problem details (RFC 9457), whose type and `Link` header lead to the documentation of the API. */
export function renderProblem(
  { name, status, retryAfterSeconds, headers = [] }: Problem,
  docs: string,
): WholeResponse {
  const { title, detail } = PROBLEMS[name];
  const type = `${docs}#${name}`;
  return {
    status,
    headers: [
      ...headers,
      ['content-type', status < 400 ? 'application/json' : 'application/problem+json'],
      ['content-language', 'en'],
      ['cache-control', 'no-store'],
      ['link', `<${docs}>; rel="describedby"`],
      ...(retryAfterSeconds === undefined ? [] : [['retry-after', String(retryAfterSeconds)] as const]),
    ],
    body: Buffer.from(JSON.stringify({ type, title, status, detail })),
  };
}
