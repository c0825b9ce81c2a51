import type { RecordPhase } from '../record.ts';

/**
 * Why a dead letter stays where it is.
 *
 * - `running`, `lapsed`, `backing-off`, `waiting`: its record is live, and not because of a redrive: a worker has it,
 *   or its message is on its way. If the message is lost, `forgetRecord` deletes the record.
 * - `ambiguous`: its record has succeeded, and could belong to another message with the same key. Or it is in a topic
 *   and has no record, so an earlier redrive may have sent it: `sendUnrecorded` sends it.
 * - `refused`: its handler never ran: its payload is not the one on record, or its key is invalid.
 * - `no-scope`: neither the dead letter nor the option `scope` names its scope.
 * - `no-identity`: its scope or key was dropped or shortened when it was sent, or is not valid.
 * - `other-scope`: it names another scope than the option.
 * - `filtered`: the option `filter` left it out.
 * - `no-room`: the broker would not take the copy with its identity.
 * - `send-refused`: the topic that it goes to does not exist or may not be described, or the broker refused the copy.
 *   Then its record was retried, and is `waiting`. The next redrive tries again.
 * - `already-sent`: this run has sent its message before: it has failed again since, or has two dead letters.
 * - `too-many-kept`: too many dead letters before it in its partition were kept, with others between them, to remember
 *   this one too. It was not checked.
 *
 * May grow in a minor version: a `switch` needs a `default`.
 */
export type KeptDeadLetterReason =
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
export type DeadLetterOutcome =
  /** A copy is at the source, and the dead letter is removed. */
  | {
      readonly state: 'sent';
      /**
       * Whether its record had failed and was retried. If not, there was no record, or an earlier redrive was
       * interrupted.
       */
      readonly retried: boolean;
    }
  /** Its message has since succeeded: the dead letter is removed, and nothing is sent. */
  | { readonly state: 'removed' }
  | {
      readonly state: 'kept';
      /** Why nothing was done. */
      readonly reason: KeptDeadLetterReason;
    };

/** The record that a dead letter belongs to. */
export interface DeadLetterRecord {
  /** Of its record. */
  readonly scope: string;
  /** Of its record. */
  readonly key: string;
}

/** What was done with a dead letter, and its record where that is known. */
export type RedrivenDeadLetter = DeadLetterOutcome & Partial<DeadLetterRecord>;

/** Whose dead letter it is. */
export interface DeadLetterIdentity extends DeadLetterRecord {
  /** Whether the record of this scope and key can only belong to the dead letter's own message. */
  readonly isOwn: boolean;
  /** When this package has sent it: its record is older. Undefined where it was moved by its queue. */
  readonly sentAt?: Date | undefined;
  /** How often its record had been tried when it was sent. */
  readonly attempts?: number | undefined;
  /** Whether an earlier redrive may have sent it, and a record of it may have expired since. */
  readonly mayHaveBeenSent?: boolean | undefined;
  /** Whether the dead letter itself names its scope. Else it is the one of the option `scope`. */
  readonly namesScope: boolean;
}

/** A dead letter that stays, whatever is on record. */
export interface KeptDeadLetter {
  readonly kept: KeptDeadLetterReason;
}

/** A dead letter whose record is known, at whatever broker. */
export interface OwnedDeadLetter extends DeadLetterIdentity {
  /** Why it stays where it would be sent. */
  readonly unsendable?: Extract<KeptDeadLetterReason, 'no-room' | 'send-refused'> | undefined;
  /** Why it stays all the same, where `filter` wants it. */
  readonly mustStay?: KeptDeadLetterReason | undefined;
  /** False once another reader may have it. */
  isOurs(): boolean;
  /** Resolves when the source has the copy. `attempts` is how often its record was tried. False: it is refused. */
  send(attempts: number): Promise<boolean>;
  remove(): Promise<void>;
}

/** A dead letter that a redrive has taken. */
export type DeadLetter = KeptDeadLetter | OwnedDeadLetter;
