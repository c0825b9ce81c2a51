import type { Timer } from '../../../src/lib/clock.ts';
import type { SettleRequest, Store } from '../../../src/store/store.ts';
import type { SettledIn, TransactionalStore } from '../../../src/store/transactional-store.ts';
import type { Run } from '../facts/facts.ts';
import type { Fault } from '../facts/names.ts';
import type { Life } from '../time/life.ts';
import { never } from '../time/never.ts';
import type { World } from '../world/world.ts';
import { PATIENCE_MS, type Pool } from './pool.ts';

/** How often the server gives a transaction up for another, or a connection breaks while a handler runs. */
const CONFLICT_SHARE = 0.05;
const BROKEN_SHARE = 0.04;
/** How often a statement that is not awaited fails before the COMMIT. */
const UNDONE_SHARE = 0.03;

/** How many transactions have a client that tells when their connection breaks. */
const TELLING_SHARE = 0.5;

/** When the server notices that a client is gone. */
const NOTICED_MS = [0, 4_000] as const;

/** What the server itself has answered: nothing is committed. */
class ServerError extends Error {
  readonly isConflict: boolean;

  constructor(message: string, isConflict: boolean) {
    super(message);
    this.isConflict = isConflict;
  }
}

type Tell = (error: unknown) => void;

/** A transaction, as its server and its handler have it. */
export class Transaction {
  readonly life: Life;
  /** Is told when its connection breaks while its work runs. */
  onBroken: Tell | undefined;
  /** What has written in it: one for each message. */
  runs: readonly Run[] = [];
  /** What is to be put on record by the COMMIT. */
  staged: { readonly requests: readonly SettleRequest[]; readonly scope: string } | undefined;
  /** Whether the server has committed it or rolled it back. */
  isOver = false;
  /** Whether its client has lost it. */
  isBroken = false;
  isCommitting = false;
  /** Whether the server has given it up for another. */
  lostConflict = false;

  constructor(life: Life) {
    this.life = life;
  }
}

/** The records, as a transaction finds them. */
export interface Records {
  /** Whether the record is that of the token. */
  readonly isOwner: (request: SettleRequest) => boolean;
  /** Whether it cannot keep what the request has. */
  readonly refuses: (request: SettleRequest) => boolean;
  /** Puts on record what has been committed. */
  readonly settle: (life: Life, request: SettleRequest, scope: string) => void;
  /** The connections of a process. */
  readonly poolOf: (life: Life) => Pool;
}

/**
 * Transactions of the database, each on a connection of the pool. From its settle to its end a transaction has its
 * record locked. A COMMIT can be lost before or after its effect, land late, and be answered with a rollback; a
 * connection can break at any time, and the server notices that later.
 */
export class Transactions {
  readonly #world: World;
  readonly #records: Records;
  readonly #locked = new Map<string, Transaction>();
  /** Those whose settle is on its way with its COMMIT, by the token of that. */
  readonly #committing = new Map<string, Transaction>();

  constructor(world: World, records: Records) {
    this.#world = world;
    this.#records = records;
  }

  /** Whether an open transaction has settled the record of a key. */
  isLocked(key: string): boolean {
    const transaction = this.#locked.get(key);
    if (transaction === undefined) return false;
    // A process that dies loses its connections.
    if (!transaction.life.isAlive) this.#break(transaction);
    return true;
  }

  /** The token owns no record any more: what is on its way with it commits nothing. */
  fenceOff(token: string): void {
    const transaction = this.#committing.get(token);
    this.#committing.delete(token);
    if (transaction !== undefined) this.#tellUndone(transaction);
  }

  /** The store of one process, with transactions. */
  clientOf(life: Life, store: Store): TransactionalStore<Transaction> {
    const { random } = this.#world;
    const mayTellRollback = random.chance(0.5);
    /** Whether the client sends the COMMIT with the last statement. */
    const isCommitting = random.chance(0.5);
    const tellsRollback = isCommitting || mayTellRollback;
    return {
      ...store,
      tellsRollback,
      begin: async (work, onBroken) => {
        const giveBack = await this.#records.poolOf(life).take();
        const transaction = new Transaction(life);
        const tellsBreaks = this.#happens(TELLING_SHARE);
        const breaking = this.#mayBreak(transaction);
        try {
          await this.#call(transaction, () => undefined);
          if (tellsBreaks) transaction.onBroken = onBroken;
          const result = await work(transaction).finally(() => {
            transaction.onBroken = undefined;
          });
          life.clock.clearTimer(breaking);
          const { isOver, isCommitting: wasCommitted } = transaction;
          // It is over where its COMMIT went out with its last statement, or its connection broke.
          if (!(isOver && wasCommitted)) await this.#commit(transaction, tellsRollback);
          return result;
        } catch (error) {
          this.#end(transaction);
          throw error;
        } finally {
          life.clock.clearTimer(breaking);
          giveBack();
        }
      },
      settleLast: (transaction, requests, scope) => {
        transaction.isCommitting = isCommitting;
        if (isCommitting) for (const { token } of requests) this.#committing.set(token, transaction);
        return this.#call(transaction, () => {
          for (const { token } of requests) this.#committing.delete(token);
          const reply = this.#settle(transaction, requests, scope);
          return isCommitting ? this.#commitBehind(transaction, reply) : reply;
        });
      },
      isRolledBack: (error) => error instanceof ServerError,
      isConflict: (error) => error instanceof ServerError && error.isConflict,
    };
  }

  #settle(transaction: Transaction, requests: readonly SettleRequest[], scope: string): SettledIn | Error {
    if (this.#happens(CONFLICT_SHARE)) {
      transaction.lostConflict = true;
      this.#tellFault('transaction lost a conflict', transaction);
      return new ServerError('could not serialize access', true);
    }
    if (requests.some(({ key }) => this.isLocked(key))) return new ServerError('the record is locked', false);
    if (requests.some((request) => this.#records.refuses(request))) {
      this.#tellFault('result refused by the store', transaction);
      return new ServerError('the value cannot be stored', false);
    }
    if (!requests.every((request) => this.#records.isOwner(request))) return 'lost';
    transaction.staged = { requests, scope };
    for (const { key } of requests) this.#locked.set(key, transaction);
    return 'settled';
  }

  async #commit(transaction: Transaction, tellsRollback: boolean): Promise<void> {
    transaction.isCommitting = true;
    await this.#call(transaction, () => this.#landCommit(transaction, tellsRollback));
  }

  #landCommit(transaction: Transaction, tellsRollback: boolean): Error | undefined {
    if (this.#happens(UNDONE_SHARE)) {
      this.#tellFault('commit answered with a rollback', transaction);
      this.#rollBack(transaction);
      return tellsRollback ? new ServerError('the transaction is aborted', false) : undefined;
    }
    this.#conclude(transaction, true);
    return undefined;
  }

  /** A COMMIT that lands with the settle before it: where that has not settled, nothing is committed. */
  #commitBehind(transaction: Transaction, reply: SettledIn | Error): SettledIn | Error {
    if (reply === 'settled') return this.#landCommit(transaction, true) ?? reply;
    this.#rollBack(transaction);
    return reply;
  }

  /** Runs a statement on the connection of a transaction. Where it gets no reply, that is broken. */
  async #call<Reply>(transaction: Transaction, effect: () => Reply | Error): Promise<Reply> {
    const { network, scheduler } = this.#world;
    const { life } = transaction;
    if (!life.isAlive) return await never();
    if (transaction.isBroken) {
      // What has begun since is undone as well.
      this.#tellUndone(transaction);
      throw connectionLost();
    }
    const askedAt = scheduler.now();
    const fate = network.fateOf(life, 'store');
    if (fate.fault !== undefined) {
      const to = askedAt + Math.max(fate.landsAfterMs ?? 0, PATIENCE_MS);
      life.troubles.push({ from: askedAt, to, verb: 'transaction', tokens: this.#tokensOf(transaction) });
    }
    const land = (): Reply | Error => (transaction.isOver ? connectionLost() : effect());
    let timer;
    const late = new Promise<never>((_, reject) => {
      timer = life.clock.setTimer(() => {
        reject(connectionLost());
      }, PATIENCE_MS);
    });
    try {
      const reply = await Promise.race([network.send(life, fate, land, connectionLost), late]);
      refuseBroken(transaction);
      return reply;
    } catch (error) {
      if (!(error instanceof ServerError)) this.#break(transaction);
      // What the server has answered does not come through.
      refuseBroken(transaction);
      throw error;
    } finally {
      life.clock.clearTimer(timer);
    }
  }

  #tokensOf({ runs }: Transaction): readonly string[] | undefined {
    const claims = runs.flatMap((run) => this.#world.ledger.claimOfRun(run) ?? []);
    return claims.length === 0 ? undefined : claims.map(({ token }) => token);
  }

  /** The connection may break before its COMMIT. */
  #mayBreak(transaction: Transaction): Timer | undefined {
    const { random } = this.#world;
    const { life } = transaction;
    if (!this.#happens(BROKEN_SHARE)) return undefined;
    return life.clock.setTimer(
      () => {
        this.#tellFault('connection of a transaction broke', transaction);
        this.#break(transaction);
      },
      random.between(0, 100),
    );
  }

  /** The client has lost it; the server ends it when it notices. */
  #break(transaction: Transaction): void {
    if (transaction.isBroken) return;
    transaction.isBroken = true;
    transaction.onBroken?.(connectionLost());
    if (!transaction.isCommitting) this.#tellUndone(transaction);
    const { scheduler, random } = this.#world;
    scheduler.after(random.between(...NOTICED_MS), () => {
      this.#rollBack(transaction);
    });
  }

  /** The work has thrown: the client rolls back. */
  #end(transaction: Transaction): void {
    if (!transaction.isBroken && !transaction.isOver) this.#rollBack(transaction);
  }

  #rollBack(transaction: Transaction): void {
    if (transaction.isOver) return;
    this.#tellUndone(transaction);
    this.#conclude(transaction, false);
  }

  #conclude(transaction: Transaction, isCommitted: boolean): void {
    const { life, staged, runs } = transaction;
    const requests = staged?.requests ?? [];
    transaction.isOver = true;
    for (const { key } of requests) this.#locked.delete(key);
    if (!isCommitted) return;
    // A request and its run are of the same message.
    for (let index = 0; index < Math.max(requests.length, runs.length, 1); index += 1) {
      this.#world.tell({ type: 'committed', life, run: runs[index], settles: requests[index]?.token });
    }
    for (const request of requests) this.#records.settle(life, request, staged?.scope ?? '');
  }

  #tellUndone({ runs, lostConflict }: Transaction): void {
    for (const run of runs) {
      run.isUndone = true;
      this.#world.tell({ type: 'ended', run, end: { how: 'undone', lostConflict } });
    }
  }

  #tellFault(fault: Fault, { life, staged }: Transaction): void {
    this.#world.tell({ type: 'fault', fault, life, what: staged?.requests[0]?.key ?? '' });
  }

  #happens(share: number): boolean {
    const { network, random } = this.#world;
    return !network.isCalm && random.chance(share);
  }
}

function refuseBroken({ isBroken }: Transaction): void {
  if (isBroken) throw connectionLost();
}

function connectionLost(): Error {
  return new Error('the connection is lost');
}
