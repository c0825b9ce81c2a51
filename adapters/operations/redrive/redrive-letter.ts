import { keyFault } from '../../../src/options/key.ts';
import { storedScopeFault } from '../../../src/options/scope.ts';
import { reopenRecord } from '../reopen-record.ts';
import { showRecord } from '../show-record.ts';
import type { TablesOptions } from '../tables.ts';
import { decideLetter } from './decide-letter.ts';
import type { KnownScope } from './known-scope.ts';
import type { Letter, LetterOutcome, LetterRecord, OwnedLetter } from './letter.ts';
import type { Pace } from './pace.ts';

export interface LetterRun {
  readonly tables: TablesOptions;
  /** Asked of the scope of a letter that names none. */
  readonly requireKnown: KnownScope;
  /** Asked before a letter is sent. */
  readonly pace: Pace;
  readonly dryRun: boolean;
  /** The messages that the run has sent, or of a dry run would have. */
  readonly sent: Set<string>;
}

/**
 * Looks at the record of a letter and does what it asks for: reopen, send, remove, in this order, so that a crash at
 * any point leaves the letter, the copy or both. A run sends each message once: while the cause is there it fails
 * again, and its new letters would have no end. Undefined: it was not touched, since the run ends, or another reader
 * may have it.
 */
export async function redriveLetter(letter: Letter, run: LetterRun): Promise<LetterOutcome | undefined> {
  if ('kept' in letter) return { state: 'kept', reason: letter.kept };
  const { scope, key, isOwn, namesScope } = letter;
  if (keyFault(key) !== undefined || storedScopeFault(scope) !== undefined) {
    return { state: 'kept', reason: 'no-identity' };
  }
  if (!namesScope) await run.requireKnown(scope);
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
      return await sendLetter(letter, run, record?.attempts ?? 0, decision.action === 'reopen');
  }
}

async function sendLetter(
  letter: OwnedLetter,
  run: LetterRun,
  attempts: number,
  isFailed: boolean,
): Promise<LetterOutcome | undefined> {
  const message = identityOf(letter);
  if (run.sent.has(message)) return { state: 'kept', reason: 'already-sent' };
  if (!letter.hasRoom) return { state: 'kept', reason: 'no-room' };
  if (run.dryRun) {
    run.sent.add(message);
    return { state: 'sent', reopened: isFailed };
  }
  if (!(await run.pace()) || !letter.isOurs()) return undefined;
  if (isFailed) {
    const { scope, key } = letter;
    const { state } = await reopenRecord({ ...run.tables, scope, key });
    // It was reopened, forgotten or expired since it was looked at.
    if (state === 'unchanged') return await redriveLetter(letter, run);
  }
  if (!(await letter.send(attempts))) return { state: 'kept', reason: 'send-refused' };
  run.sent.add(message);
  await letter.remove();
  return { state: 'sent', reopened: isFailed };
}

function identityOf({ scope, key }: LetterRecord): string {
  return JSON.stringify([scope, key]);
}
