import { causeOf, isPromise, nameOfThrown, valueAt } from '../../src/adapter-kit.ts';
import { copyOf, type ReceivedWebhook } from './delivery.ts';
import { MissingIdError } from './errors.ts';
import type { IdLocation } from './sources.ts';

/** The id of a delivery. Throws `MissingIdError`, which says where it was looked for; no id is ever made up. */
export function deliveryIdAt(location: IdLocation, delivery: ReceivedWebhook): string {
  if ('header' in location) return inHeader(location.header, delivery);
  if ('pointer' in location) return inBody(location.pointer, delivery);
  return byFunction(location.id, delivery);
}

/** Two names of one id. A library that verifies the first reads the second where another header is missing. */
const SVIX_ID = 'svix-id';
const STANDARD_ID = 'webhook-id';

function inHeader(header: string, { headers }: ReceivedWebhook): string {
  const name = header.toLowerCase();
  const valueOf = (of: string): string => (Object.hasOwn(headers, of) ? (headers[of] ?? '') : '');
  const id = valueOf(name);
  if (id === '') {
    throw new MissingIdError(`the delivery has no id: its header ${name} is missing or empty`);
  }
  if (name === SVIX_ID || name === STANDARD_ID) {
    const twin = valueOf(name === SVIX_ID ? STANDARD_ID : SVIX_ID);
    if (twin !== '' && twin !== id) {
      throw new MissingIdError(
        `the delivery has no id: its headers ${SVIX_ID} and ${STANDARD_ID} differ, and verify may have read either`,
      );
    }
  }
  return id;
}

function inBody(pointer: string, { body }: ReceivedWebhook): string {
  const id = valueAt(parsed(pointer, body), pointer);
  // Two larger numbers can be one and the same after JSON.parse.
  if (Number.isSafeInteger(id)) return String(id);
  if (typeof id !== 'string' || id === '') {
    throw new MissingIdError(
      `the delivery has no id: its body has no string and no whole number of at most 53 bits at ${pointer}`,
    );
  }
  return id;
}

/** What JSON.parse throws is left out: it quotes the body. */
function parsed(pointer: string, body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    throw new MissingIdError(`the delivery has no id: its body, where ${pointer} would be, is not JSON`);
  }
}

function byFunction(
  find: (delivery: ReceivedWebhook) => string | undefined,
  delivery: ReceivedWebhook,
): string {
  let id: unknown;
  try {
    id = find(copyOf(delivery));
  } catch (error) {
    throw new MissingIdError(
      `the delivery has no id: the id function threw (${nameOfThrown(error)})`,
      causeOf(error),
    );
  }
  if (isPromise(id))
    throw new MissingIdError(
      'the delivery has no id: the id function returned a promise; make it synchronous',
    );
  if (typeof id !== 'string' || id === '') {
    throw new MissingIdError('the delivery has no id: the id function returned no id');
  }
  return id;
}
