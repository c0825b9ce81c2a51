import type { RecordPhase } from '../record.ts';

/**
 * Why a dead letter stays where it is.
 *
 * - `running`, `lapsed`, `backing-off`, `waiting`: its record is live, and not by a redrive: a worker has it, or its
 *   message is on its way. `forgetRecord` makes a letter whose message is gone one that is sent.
 * - `ambiguous`: its record has succeeded, and could be that of another message with the same key.
 * - `refused`: nothing of it ran: its payload is not the one on record, or its key is invalid.
 * - `no-scope`: neither the letter nor the option `scope` says whose it is.
 * - `no-identity`: its scope or key was dropped or shortened when it was sent, or is no valid one.
 * - `other-scope`: it names another scope than the option.
 * - `filtered`: the option `filter` left it out.
 * - `no-room`: the broker would not take the copy with its identity.
 * - `send-refused`: the broker refused the copy. Its record is open: the next redrive tries again.
 * - `already-sent`: this run has sent its message before: it has failed again since, or has two letters.
 * - `too-many-kept`: it stands behind so many letters of its partition that were kept, with others between, that it
 *   could not be remembered. It was not looked at.
 *
 * May grow in a minor version: a `switch` needs a `default`.
 */
export type KeptLetterReason =
  | Exclude<RecordPhase, 'succeeded' | 'failed' | 'expired'>
  | 'ambiguous'
  | 'refused'
  | 'no-scope'
  | 'no-identity'
  | 'other-scope'
  | 'filtered'
  | 'no-room'
  | 'send-refused'
  | 'already-sent'
  | 'too-many-kept';

/** What a redrive did with a dead letter; of a dry run, what it would do. */
export type LetterOutcome =
  /** A copy is at the source, and the letter is removed. */
  | {
      readonly state: 'sent';
      /** Whether its record had failed, and was retried. Else there was none, or an earlier redrive was cut short. */
      readonly retried: boolean;
    }
  /** Its message has succeeded meanwhile: the letter is removed, and nothing is sent. */
  | { readonly state: 'removed' }
  | {
      readonly state: 'kept';
      /** Why nothing was done. */
      readonly reason: KeptLetterReason;
    };

/** The record that a letter belongs to. */
export interface LetterRecord {
  /** Of its record. */
  readonly scope: string;
  /** Of its record. */
  readonly key: string;
}

/** What was done with a letter, and its record where that can be told. */
export type RedrivenLetter = LetterOutcome & Partial<LetterRecord>;

/** Whose letter it is. */
export interface LetterIdentity extends LetterRecord {
  /** Whether the record of this scope and key can only be that of the letter's own message. */
  readonly isOwn: boolean;
  /** Whether the letter itself names its scope. Else it is the one of the option `scope`. */
  readonly namesScope: boolean;
}

/** A letter that stays, whatever is on record. */
export interface KeptLetter {
  readonly kept: KeptLetterReason;
}

/** A letter whose record is known, at whatever broker. */
export interface OwnedLetter extends LetterIdentity {
  /** Whether it can be sent at all. */
  readonly hasRoom: boolean;
  /** Why it stays all the same, where `filter` wants it. */
  readonly mustStay?: KeptLetterReason | undefined;
  /** False once another reader may have it. */
  isOurs(): boolean;
  /** Resolves when the source has the copy. `attempts` is how often its record was tried. False: it is refused. */
  send(attempts: number): Promise<boolean>;
  remove(): Promise<void>;
}

/** A dead letter in hand. */
export type Letter = KeptLetter | OwnedLetter;
