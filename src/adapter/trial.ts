import type { AnyHandleOnce } from '../api/handle-once.ts';
import { InvalidKeyError } from '../words/errors.ts';
import { wrongFunction } from '../options/wrong-function.ts';
import {
  fingerprintOf,
  type FingerprintOptions,
  fingerprintOptionsFor,
  hasFingerprintChoice,
} from '../options/fingerprint-options.ts';
import { causeOf, describeThrown, nameOfThrown } from '../payload/stored-error.ts';
import type { Delivery } from './delivery.ts';
import { foundKey } from './found-key.ts';

/** The user's functions that identify a message, with what to do about one that throws. */
const FIXES = {
  key: 'correct it. A message for which it returns undefined is refused',
  body: 'correct it, and move what can fail into parse',
  fingerprint: 'correct it',
} as const;

type IdentityOption = keyof typeof FIXES;

type Identity = Pick<Delivery<unknown>, 'key' | 'content' | 'fingerprint' | 'message'>;

/**
 * Whether such functions work at all in one consumer. Until one has returned something, what it throws is a fault of
 * its code, and the message is kept: a mistake in it would otherwise send a whole queue to the dead letters. After that
 * it is the fault of the message. `untilThen` says what becomes of messages, or requests, until a function works.
 */
export function createTrial(untilThen = 'Messages are kept until it works') {
  /** What has not worked yet. */
  const open = new Set<IdentityOption>();

  /** The same function. Until it has worked it throws `InvalidOptionsError`, whatever it throws. */
  function wrap<Args extends readonly unknown[], Found>(
    option: IdentityOption,
    find: (...args: Args) => Found,
  ): (...args: Args) => Found {
    open.add(option);
    return (...args) => {
      if (!open.has(option)) return find(...args);
      const found = foundAtTrial(option, () => find(...args), untilThen);
      if (found !== undefined) open.delete(option);
      return found;
    };
  }

  return {
    wrap,
    /** What an adapter compares messages by: what its options say, or else its `handleOnce`. */
    fingerprint<Compared, Message>(
      options: FingerprintOptions<Compared, [message: Message]> & { readonly handleOnce: AnyHandleOnce },
    ): FingerprintOptions<Compared, [message: Message]> {
      const { fingerprint, ignoredFields, handleOnce } = options;
      if (typeof fingerprint === 'function') return { fingerprint: wrap('fingerprint', fingerprint) };
      if (hasFingerprintChoice({ fingerprint, ignoredFields })) return { fingerprint, ignoredFields };
      const inherited = handleOnce.settings.fingerprint;
      if (typeof inherited !== 'function') return {};
      return { fingerprint: wrap('fingerprint', (compared: Compared) => inherited(compared)) };
    },
    /**
     * Tries what has not worked yet on messages that came together: one that is at fault, and comes first, must not
     * hold up its FIFO group or its partition.
     */
    look<Message>(messages: readonly Message[], identityOf: (message: Message) => Identity): void {
      for (const message of messages) {
        if (open.size === 0) return;
        const { key, content, fingerprint, message: compared } = identityOf(message);
        if (open.has('key')) ignoringErrors(() => foundKey(key));
        if (open.has('fingerprint'))
          ignoringErrors(() =>
            fingerprintOf(fingerprintOptionsFor(fingerprint, compared as never))(content()),
          );
      }
    },
  };
}

function foundAtTrial<Found>(option: IdentityOption, find: () => Found, untilThen: string): Found {
  try {
    return find();
  } catch (thrown) {
    // Its text is for the user. The text of another error can quote the message.
    const what = thrown instanceof InvalidKeyError ? describeThrown(thrown) : nameOfThrown(thrown);
    const message = `threw (${what}), and has not worked yet: ${FIXES[option]}. ${untilThen}`;
    throw wrongFunction(option, message, causeOf(thrown));
  }
}

/** What it throws is reported when the message is handled. */
function ignoringErrors(call: () => unknown): void {
  try {
    call();
  } catch {
    return;
  }
}
