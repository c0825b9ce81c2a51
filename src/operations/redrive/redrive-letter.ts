import { keyFault } from '../../options/key.ts';
import { storedScopeFault } from '../../options/scope.ts';
import { reopenRecord } from '../reopen-record.ts';
import { showRecord } from '../show-record.ts';
import type { TablesOptions } from '../tables.ts';
import { decideLetter } from './decide-letter.ts';
import type { Letter, LetterIdentity, LetterOutcome } from './letter.ts';
import type { Pace } from './pace.ts';

export interface LetterRun {
  readonly tables: TablesOptions;
  /** Asked before a letter is sent. */
  readonly pace: Pace;
  readonly dryRun: boolean;
}

/**
 * Looks at the record of a letter and does what it asks for: reopen, send, remove, in this order, so that a crash at
 * any point leaves the letter, the copy or both. Undefined: it was not touched, since the run ends, or another reader
 * may have it.
 */
export async function redriveLetter(letter: Letter, run: LetterRun): Promise<LetterOutcome | undefined> {
  const { identity } = letter;
  if ('kept' in identity) return { state: 'kept', reason: identity.kept };
  if (keyFault(identity.key) !== undefined || storedScopeFault(identity.scope) !== undefined) {
    return { state: 'kept', reason: 'no-identity' };
  }
  const { scope, key, isOwn } = identity;
  const record = await showRecord({ ...run.tables, scope, key });
  const decision = decideLetter(record, isOwn);
  switch (decision.action) {
    case 'keep':
      return { state: 'kept', reason: decision.reason };
    case 'remove':
      if (!run.dryRun) await letter.remove();
      return { state: 'removed' };
    case 'reopen':
    case 'send':
      if (!letter.hasRoom) return { state: 'kept', reason: 'no-room' };
      return await sendLetter(letter, run, {
        identity,
        attempts: record?.attempts ?? 0,
        isFailed: decision.action === 'reopen',
      });
  }
}

interface Found {
  readonly identity: LetterIdentity;
  readonly attempts: number;
  readonly isFailed: boolean;
}

async function sendLetter(
  letter: Letter,
  run: LetterRun,
  { identity: { scope, key }, attempts, isFailed }: Found,
): Promise<LetterOutcome | undefined> {
  if (run.dryRun) return { state: 'sent', reopened: isFailed };
  if (!(await run.pace()) || !letter.isOurs()) return undefined;
  if (isFailed) {
    const { state } = await reopenRecord({ ...run.tables, scope, key });
    // It was reopened, forgotten or expired since it was looked at.
    if (state === 'unchanged') return await redriveLetter(letter, run);
  }
  if (!(await letter.send(attempts))) return { state: 'kept', reason: 'send-refused' };
  await letter.remove();
  return { state: 'sent', reopened: isFailed };
}
