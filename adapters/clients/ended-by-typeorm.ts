import { rolledBack } from '../../src/adapter-kit.ts';
import type { DatabaseQueries } from '../../src/index.ts';
import { type EndingConnection, endTransaction, guardedConnection } from './guarded-connection.ts';
import { LateStatements, rejected } from './late-statements.ts';
import { pgStatements } from './pg-query.ts';

/** The runner of a transaction. It asks itself for the connection whenever it sends something. */
export interface TypeOrmRunner {
  /** Gives the connection, a `PoolClient` of `pg`. */
  connect(): Promise<EndingConnection>;
  /** Gives the connection back to its pool. */
  release(): Promise<void>;
}

/** A settle that waits for the COMMIT of TypeORM. */
interface Settle {
  send(): void;
  reject(error: unknown): void;
}

/** Of a transaction with an open one in it TypeORM ends only the inner one, by its savepoint. */
const COMMIT = /^(?:commit$|release savepoint typeorm_)/i;
const ROLLBACK = /^rollback(?:$| to savepoint typeorm_)/i;

const onConnection = pgStatements(false);

/**
 * A transaction to which subscribers write, or which they refuse, between the end of its work and the COMMIT that
 * TypeORM sends. So the settle is sent, and the transaction closed to its handler, when that arrives.
 */
export class EndedByTypeOrm {
  /** Runs the settle, with the COMMIT. */
  readonly settle: Pick<DatabaseQueries, 'query'> = {
    query: (...given) =>
      new Promise((resolve, reject) => {
        const send = (): void => {
          onConnection(this.#connection)
            .query(...given)
            .then(resolve, reject);
        };
        this.#settle = { send, reject };
        this.#onSettle();
      }),
  };
  readonly #connection: EndingConnection;
  readonly #late = new LateStatements();
  #working: Promise<unknown> = Promise.resolve();
  #settle: Settle | undefined;
  #onSettle = (): void => undefined;
  /** Whether TypeORM may end it: its work has ended, or waits for the settle. */
  #mayEnd = false;
  #committing: Promise<void> | undefined;
  #rollingBack: Promise<void> | undefined;

  static async on(runner: TypeOrmRunner): Promise<EndedByTypeOrm> {
    return new EndedByTypeOrm(runner, await runner.connect());
  }

  private constructor(runner: TypeOrmRunner, connection: EndingConnection) {
    this.#connection = connection;
    const guarded = guardedConnection(connection, this.#late, (statement) => this.#endBy(statement));
    runner.connect = () => Promise.resolve(guarded);
    const release = runner.release.bind(runner);
    runner.release = async () => {
      if (!this.#mayEnd) return;
      // TypeORM sends no ROLLBACK when a subscriber throws before it.
      await this.#rollBack().catch(() => undefined);
      this.#late.close();
      await release();
    };
  }

  /** Runs the work until TypeORM may end the transaction. */
  async run<T>(work: () => Promise<T>): Promise<{ readonly working: Promise<T> }> {
    try {
      const waiting = new Promise<void>((resolve) => {
        this.#onSettle = resolve;
      });
      const working = work();
      this.#working = working;
      await Promise.race([working, waiting]);
      return { working };
    } finally {
      this.#mayEnd = true;
    }
  }

  /** The transaction has failed: a settle that has not been sent never is. */
  async giveUp(error: unknown): Promise<void> {
    this.#settle?.reject(error);
    await this.#working.catch(() => undefined);
  }

  /** The answer to what TypeORM sends to end it. */
  #endBy(statement: unknown): Promise<void> | undefined {
    if (!this.#mayEnd || typeof statement !== 'string') return undefined;
    if (COMMIT.test(statement)) return (this.#committing ??= this.#commit());
    return ROLLBACK.test(statement) ? this.#rollBack() : undefined;
  }

  async #commit(): Promise<void> {
    this.#late.close();
    this.#settle?.send();
    await this.#working;
    await endTransaction(this.#connection, 'commit');
    // What subscribers write after the COMMIT is outside of the transaction.
    this.#late.reopen();
  }

  /** Once committed, it does nothing. */
  #rollBack(): Promise<void> {
    this.#late.close();
    this.#committing ??= rejected(rolledBack());
    return (this.#rollingBack ??= this.#committing.catch(async () => {
      await endTransaction(this.#connection, 'rollback');
    }));
  }
}
