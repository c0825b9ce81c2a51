import type { AnyHandleOnce } from '../api/handle-once.ts';
import { InvalidKeyError, InvalidOptionsError } from '../words/errors.ts';
import {
  fingerprintOf,
  type FingerprintOptions,
  hasFingerprintChoice,
} from '../options/fingerprint-options.ts';
import { causeOf, describeThrown, nameOfThrown } from '../payload/stored-error.ts';
import type { Delivery } from './delivery.ts';
import { foundKey } from './found-key.ts';

/** Those of the user's functions that say what a message is, and what to do about one that throws. */
const FIXES = {
  key: 'correct it. A message for which it returns undefined is refused',
  body: 'correct it, and do in parse what can fail',
  fingerprint: 'correct it',
} as const;

type IdentityOption = keyof typeof FIXES;

type Identity = Pick<Delivery<unknown>, 'key' | 'content' | 'fingerprint'>;

/**
 * Whether such functions work at all in one consumer. Until one has returned something, what it throws is a fault of
 * its code, and the message is kept: a plain mistake would else send a whole queue to the dead letters. After that it
 * is the fault of the message.
 */
export interface Trial {
  /** The same function. Until it has worked it throws `InvalidOptionsError`, whatever it throws. */
  readonly wrap: <Args extends readonly unknown[], Found>(
    option: IdentityOption,
    find: (...args: Args) => Found,
  ) => (...args: Args) => Found;
  /**
   * Tries what has not worked yet on messages that came together: one that is at fault, and comes first, must not hold
   * up its FIFO group or its partition.
   */
  readonly look: <Message>(messages: readonly Message[], identityOf: (message: Message) => Identity) => void;
}

/** `meanwhile` says what becomes of messages, or requests, until a function works. */
export function createTrial(meanwhile = 'Messages are kept until it works'): Trial {
  /** What has not worked yet. */
  const open = new Set<IdentityOption>();
  return {
    wrap(option, find) {
      open.add(option);
      return (...args) => {
        if (!open.has(option)) return find(...args);
        const found = foundAtTrial(option, () => find(...args), meanwhile);
        if (found !== undefined) open.delete(option);
        return found;
      };
    },
    look(messages, identityOf) {
      for (const message of messages) {
        if (open.size === 0) return;
        const { key, content, fingerprint } = identityOf(message);
        if (open.has('key')) ignoringErrors(() => foundKey(key));
        if (open.has('fingerprint')) ignoringErrors(() => fingerprintOf(fingerprint)(content()));
      }
    },
  };
}

function foundAtTrial<Found>(option: IdentityOption, find: () => Found, meanwhile: string): Found {
  try {
    return find();
  } catch (thrown) {
    // Its text is for the user. That of any other error can quote the message.
    const what = thrown instanceof InvalidKeyError ? describeThrown(thrown) : nameOfThrown(thrown);
    const message = `threw (${what}), and has never worked yet: ${FIXES[option]}. ${meanwhile}`;
    throw new InvalidOptionsError('an option is wrong', [{ field: option, message }], causeOf(thrown));
  }
}

/** What it throws is told when the message is handled. */
function ignoringErrors(call: () => unknown): void {
  try {
    call();
  } catch {
    return;
  }
}

/** What an adapter compares messages by, its function on trial: what its options say, or else its `handleOnce`. */
export function fingerprintOnTrial<Compared, Message>(
  trial: Trial,
  options: FingerprintOptions<Compared, [message: Message]> & { readonly handleOnce: AnyHandleOnce },
): FingerprintOptions<Compared, [message: Message]> {
  const { fingerprint, ignoredFields, handleOnce } = options;
  if (typeof fingerprint === 'function') return { fingerprint: trial.wrap('fingerprint', fingerprint) };
  if (hasFingerprintChoice({ fingerprint, ignoredFields })) return { fingerprint, ignoredFields };
  const inherited = handleOnce.settings.fingerprint;
  if (typeof inherited !== 'function') return {};
  return { fingerprint: trial.wrap('fingerprint', (compared: Compared) => inherited(compared)) };
}
