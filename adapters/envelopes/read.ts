import { hash } from 'node:crypto';
import { keyFault } from '../../src/adapter-kit.ts';
import { InvalidKeyError } from '../../src/index.ts';
import type { EnvelopeBody, Sealed } from './envelope.ts';

/** A JSON object whose members are not known yet. */
export type Members = Readonly<Partial<Record<string, unknown>>>;

/** Reads the members of one kind of envelope. What it throws names them, and says nothing of what they hold. */
export interface Reader {
  /** The body as a JSON object. */
  document(sealed: Pick<Sealed, 'body' | 'read'>): Members;
  /** A member that is an object. */
  object(members: Members, name: string): Members;
  /** A member that is a text, and not empty. */
  text(members: Members, name: string): string;
  malformed(member: string, wanted: string): InvalidKeyError;
}

/** `what` is what the message should be, and `advice` what to do where it is not. */
/* @__NO_SIDE_EFFECTS__ */
export function reader(what: string, advice: string): Reader {
  const malformed = (member: string, wanted: string): InvalidKeyError =>
    new InvalidKeyError(`the message is not ${what}: ${member} must be ${wanted}. ${advice}`);

  return {
    malformed,
    document({ body, read }) {
      const document = parsed(body, read);
      if (!isObject(document)) throw malformed('the body', 'a JSON object');
      return document;
    },
    object(members, name) {
      const value = members[name];
      if (!isObject(value)) throw malformed(name, 'an object');
      return value;
    },
    text(members, name) {
      const value = members[name];
      if (typeof value !== 'string' || value === '') throw malformed(name, 'a string');
      return value;
    },
  };
}

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined for what is no JSON. The parser's own error quotes it. */
function parsed(body: EnvelopeBody, read: (text: string) => unknown): unknown {
  try {
    return body === null ? undefined : read(textOf(body));
  } catch {
    return undefined;
  }
}

/** Refuses what is no UTF-8: read leniently, different bytes would be one text. */
const UTF8 = new TextDecoder('utf-8', { fatal: true });

function textOf(body: string | Uint8Array): string {
  return typeof body === 'string' ? body : UTF8.decode(body);
}

/**
 * One key of several parts, which no other parts make: their JSON, or its hash where it is longer than a key may be.
 */
export function keyOf(parts: readonly unknown[]): string {
  const json = JSON.stringify(parts);
  return keyFault(json) === undefined ? json : `sha256:${sha256(json)}`;
}

export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}
