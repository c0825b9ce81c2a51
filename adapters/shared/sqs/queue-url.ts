import type * as z from 'zod/mini';
import { kindOf, nameOfThrown, satisfying } from '../../../src/adapter-kit.ts';

/** An option that is the URL of a queue. */
export function queueUrlOption(what: string): z.ZodMiniType<string, string> {
  return satisfying<string>(isHttpUrl, (value) => `the URL of ${what}, got ${shown(value)}`);
}

/** The name of a queue, of its URL or its ARN. */
export function queueName(urlOrArn: string): string {
  return urlOrArn.slice(Math.max(urlOrArn.lastIndexOf('/'), urlOrArn.lastIndexOf(':')) + 1);
}

/** Its names in the SDK, and in servers that speak the older protocol. */
const NO_SUCH_QUEUE = /QueueDoesNotExist$|NonExistentQueue$/;

export function isNoSuchQueue(error: unknown): boolean {
  return NO_SUCH_QUEUE.test(nameOfThrown(error));
}

/** What is wrong with an option that is the URL of a queue that is not there. */
export function noSuchQueue(url: string): string {
  return `names a queue that does not exist (${queueName(url)}): create it, or correct the URL, its account and its region`;
}

/** A text that is no URL may be anything. */
function shown(value: unknown): string {
  if (typeof value !== 'string') return kindOf(value);
  if (!URL.canParse(value)) return value === '' ? 'an empty string' : 'a string that is not a URL';
  // Without user, password and query. What follows the scheme of an ARN could be a password elsewhere.
  const { protocol, host, pathname } = new URL(value);
  return host === '' ? `a string that begins with ${protocol}` : `${protocol}//${host}${pathname}`;
}

function isHttpUrl(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}
