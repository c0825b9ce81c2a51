import type * as z from 'zod/mini';
import { satisfying } from '../../../src/adapter-kit.ts';

/** An option that is the URL of a queue. */
export function queueUrlOption(what: string): z.ZodMiniType<string, string> {
  return satisfying<string>(isHttpUrl, `the URL of ${what}`);
}

function isHttpUrl(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}
