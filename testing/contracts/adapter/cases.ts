import * as z from 'zod/mini';
import { lazily } from '../../../src/lib/lazily.ts';
import { callback, flag, parseOptions } from '../../../src/options/parse-options.ts';
import { type ContractCase, inTime } from '../contract-case.ts';
import {
  deadLetterFirst,
  deadLetterRefused,
  failedAcknowledged,
  failedKept,
  mismatchCopied,
  mismatchKept,
  unreadableKept,
} from './failures.ts';
import {
  extended,
  lostUnnoticed,
  neverExtended,
  noDeadLetterAfterLapse,
  nothingAfterLapse,
} from './holds.ts';
import {
  acknowledgementRefused,
  delayed,
  keptAfterError,
  keysTellApart,
  keptWhilePending,
  replayAcknowledged,
  settledFirst,
  stoppedBefore,
  stoppedDuring,
  storeDown,
  takenOver,
  unrecordedKept,
} from './records.ts';
import type { Promised } from './promised.ts';
import type { AdapterUnderTest } from './setup.ts';

type Row = readonly [name: string, promised: Promised];

const WITH_DEAD_LETTERS: Row[] = [
  ['sends the dead letter before it acknowledges', deadLetterFirst],
  ['keeps a message whose dead letter is refused', deadLetterRefused],
  ['sends a message whose key is on record for another message to the dead letters', mismatchCopied],
];
const WITH_KEEPING: Row[] = [
  ['keeps a message that failed permanently if there are no dead letters', failedKept],
  ['keeps a message that cannot be parsed if there are no dead letters', unreadableKept],
];
const WITHOUT_KEEPING: Row[] = [
  [
    'cannot keep a message that failed permanently: it is acknowledged, and does not run again',
    failedAcknowledged,
  ],
];
const WITH_RETRIES: Row[] = [
  ['makes a message that will be retried wait for the time of its outcome', delayed],
];
const WITH_EXTENSIONS: Row[] = [['extends a message while it is handled, and not after', extended]];
const WITH_LOSS: Row[] = [['does not touch a message after it has lapsed', nothingAfterLapse]];
const WITHOUT_LOSS: Row[] = [
  ['cannot detect that a message is lost: a redelivery meanwhile does not run', lostUnnoticed],
];
const WITHOUT_EXTENSIONS: Row[] = [['cannot extend: only its lease protects a long handler', neverExtended]];
const AFTER_LAPSE: Row = ['sends no dead letter for a message that has lapsed', noDeadLetterAfterLapse];

/** An adapter whose `handle` does not end breaks its promise too. */
const LONGEST_CASE_MS = 12_000;

const adapterSchema = lazily(() =>
  z.object(
    {
      can: z
        .strictObject(
          { extend: flag(), tellsLoss: flag(), retryLater: flag(), deadLetter: flag(), keepFailed: flag() },
          { error: 'must say for each ability whether the adapter has it' },
        )
        .check(
          z.refine(({ extend, tellsLoss }) => extend || !tellsLoss, {
            path: ['tellsLoss'],
            error: 'must be false without extend: only an extension can detect it',
          }),
        ),
      handle: callback<AdapterUnderTest['handle']>('a function of (message, setup), which returns a promise'),
    },
    { error: 'the adapter must be an object: { can, handle }' },
  ),
);

/**
 * Test cases for what every adapter promises, against a scripted broker: for any test runner.
 *
 * For each ability that the broker lacks there is another case. A case takes up to five seconds, and a failing one up
 * to twelve: set a longer timeout in the runner. Throws `InvalidOptionsError` for a value that is not an adapter.
 *
 * @example
 * ```ts
 * const adapter: AdapterUnderTest = {
 *   can: { extend: false, tellsLoss: false, retryLater: true, deadLetter: false, keepFailed: true },
 *   handle: (message, { handleOnce, handler, signal }) => consume(message, { handleOnce, handler, signal }),
 * };
 * for (const { name, run } of adapterContract(adapter)) test(name, run);
 * ```
 */
export function adapterContract(adapter: AdapterUnderTest): readonly ContractCase[] {
  const { can } = parseOptions('adapterContract', adapterSchema(), adapter);
  const rows: Row[] = [
    ['acknowledges a message once its record is settled, and not before', settledFirst],
    ['acknowledges a duplicate that is answered from the record', replayAcknowledged],
    ['runs two messages with equal bodies and different ids', keysTellApart],
    ['keeps a message whose handler threw, and runs it again', keptAfterError],
    ['keeps a duplicate of a message that runs, which runs once', keptWhilePending],
    ['keeps a message while the store is down, and runs nothing', storeDown],
    ['keeps a message whose end could not be recorded', unrecordedKept],
    ['keeps a message whose key is on record for another message', mismatchKept],
    ['keeps a message that another delivery has taken over', takenOver],
    [
      'acknowledges a message again whose acknowledgement failed, without another run',
      acknowledgementRefused,
    ],
    ['starts nothing when the consumer stops', stoppedBefore],
    ['keeps a message whose handler a stop interrupts, and runs it again', stoppedDuring],
    ...(can.retryLater ? WITH_RETRIES : []),
    ...(can.deadLetter ? WITH_DEAD_LETTERS : []),
    ...(can.keepFailed ? WITH_KEEPING : WITHOUT_KEEPING),
    ...(can.extend ? WITH_EXTENSIONS : WITHOUT_EXTENSIONS),
    ...(can.tellsLoss ? WITH_LOSS : WITHOUT_LOSS),
    ...(can.tellsLoss && can.deadLetter ? [AFTER_LAPSE] : []),
  ];
  return rows.map(([name, promised]) => ({
    name,
    run: () => inTime(promised(adapter), LONGEST_CASE_MS, 'has handle resolved?'),
  }));
}
