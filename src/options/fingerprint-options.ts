import * as z from 'zod/mini';
import { lazily } from '../lib/lazily.ts';
import { InvalidOptionsError, UnhashablePayloadError } from '../words/errors.ts';
import { fingerprint, fingerprintWithout } from '../payload/fingerprint.ts';
import { isJsonPointer, tokensOf } from '../payload/json-pointer.ts';
import { satisfying } from './parse-options.ts';
import { causeOf, nameOfThrown } from '../payload/stored-error.ts';
import { refuseAsync } from './wrong-function.ts';

/**
 * What must be the same each time that a key comes. Give one of them, or neither: then it is the whole payload.
 *
 * If these options change, fingerprints change: a redelivery of a message that was recorded before is a mismatch. Use
 * `fingerprint: false` until those records have expired, or make the change when no redelivery is due.
 */
export interface FingerprintOptions<Compared, More extends readonly unknown[] = []> {
  /**
   * A function that returns the part of the payload that must be the same, or false to compare nothing: then the key
   * alone decides what is a duplicate. If the function throws, the message is refused, and nothing runs; in a queue or
   * a topic it is kept until the function has worked once. A record that was made under false matches any payload until
   * it expires, so that it can be switched on and off.
   */
  readonly fingerprint?: false | ((payload: Compared, ...more: More) => unknown) | undefined;
  /**
   * JSON pointers to the members that may differ, such as `/sentAt`. Text and bytes are read as JSON; anything else is
   * compared unchanged. An empty list compares the whole payload.
   */
  readonly ignoredFields?: readonly string[] | undefined;
}

/** The options, whatever their function takes. */
type AnyFingerprintOptions = FingerprintOptions<never, never>;

const POINTER = { error: 'must be a JSON pointer such as /data/id' };

export const jsonPointer = lazily(() => z.string(POINTER).check(z.refine(isJsonPointer, POINTER)));

export function fingerprintFields<Compared, More extends readonly unknown[] = []>() {
  return {
    fingerprint: z.optional(
      satisfying<false | ((payload: Compared, ...more: More) => unknown)>(
        (value) => value === false || typeof value === 'function',
        'false or a function that returns what must be the same',
      ),
    ),
    ignoredFields: z.optional(
      z.array(jsonPointer(), { error: 'must be a list of JSON pointers such as /sentAt' }),
    ),
  };
}

/** Refuses both options together. */
export function checkFingerprints(
  options: { readonly fingerprint?: unknown; readonly ignoredFields?: unknown },
  context: z.core.$RefinementCtx,
): void {
  if (options.fingerprint === undefined || options.ignoredFields === undefined) return;
  const message = 'must not be given together with fingerprint; have that function leave the fields out';
  context.addIssue({ code: 'custom', path: ['ignoredFields'], message });
}

/** Whether one of the options is given. Then a call does not use the options of its instance. */
export function hasFingerprintChoice({ fingerprint: choice, ignoredFields }: AnyFingerprintOptions): boolean {
  return choice !== undefined || ignoredFields !== undefined;
}

/** The options for one message: their function gets the message too. */
export function fingerprintOptionsFor<Compared, Message>(
  { fingerprint: choice, ignoredFields }: FingerprintOptions<Compared, [message: Message]>,
  message: Message,
): FingerprintOptions<Compared> {
  if (ignoredFields !== undefined) return { ignoredFields };
  return { fingerprint: typeof choice === 'function' ? (compared) => choice(compared, message) : choice };
}

/** Gives what the store compares of a payload: hexadecimal text, which is empty where nothing is compared. */
type FingerprintOf = (payload: unknown) => string;

/** The returned function throws `UnhashablePayloadError`. */
export function fingerprintOf({
  fingerprint: choice,
  ignoredFields = [],
}: FingerprintOptions<never>): FingerprintOf {
  if (choice === false) return () => '';
  if (choice !== undefined) return (payload) => fingerprint(chosenPart(choice, payload));
  if (ignoredFields.length === 0) return fingerprint;
  const ignored = ignoredFields.map(tokensOf);
  return (payload) => fingerprintWithout(ignored, payload);
}

function chosenPart(choose: (payload: never) => unknown, payload: unknown): unknown {
  let part: unknown;
  try {
    part = choose(payload as never);
  } catch (error) {
    if (error instanceof InvalidOptionsError) throw error;
    const what = `the fingerprint function threw (${nameOfThrown(error)})`;
    throw new UnhashablePayloadError(`${what}, ${ADVICE}`, causeOf(error));
  }
  refuseAsync('fingerprint', part);
  if (part === undefined) {
    throw new UnhashablePayloadError(
      `the fingerprint function returned undefined, ${ADVICE} In adapters it gets the text or bytes of the message; ` +
        'use fingerprint: false to compare nothing.',
    );
  }
  return part;
}

const ADVICE =
  'and nothing ran: have it return, at once, what must be the same each time that the key comes.';
