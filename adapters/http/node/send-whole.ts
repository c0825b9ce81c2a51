import type { ServerResponse } from 'node:http';
import type { WholeResponse } from '../whole-response.ts';

/** Sends a whole response. */
export function sendWhole(
  response: ServerResponse,
  { status, headers, body }: WholeResponse,
  idempotencyStatus: string,
): void {
  response.statusCode = status;
  response.setHeader('idempotency-status', idempotencyStatus);
  for (const name of new Set(headers.map(([known]) => known))) {
    const values = headers.filter(([known]) => known === name).map(([, value]) => value);
    response.setHeader(name, values.length === 1 ? String(values[0]) : values);
  }
  if (body.length === 0) response.end();
  else response.end(body);
}
