import { rolledBack } from '../../src/adapter-kit.ts';
import type { DatabaseQueries } from '../../src/index.ts';
import { type EndingConnection, endTransaction, guardedConnection } from './guarded-connection.ts';
import { LateStatements, rejected } from './late-statements.ts';
import { pgStatements } from './pg-query.ts';

/** The runner of a transaction. It asks itself for the connection whenever it sends something. */
export interface TypeOrmRunner {
  isTransactionActive: boolean;
  /** At 1 TypeORM ends a transaction by COMMIT or ROLLBACK, above it by the savepoint of an inner one. */
  transactionDepth: number;
  /** `DataSource.destroy` releases the first of the runners until none is left. */
  readonly driver: { readonly connectedQueryRunners: unknown[] };
  /** Gives the connection, a `PoolClient` of `pg`. */
  connect(): Promise<EndingConnection>;
  startTransaction(): Promise<void>;
  commitTransaction(): Promise<void>;
  rollbackTransaction(): Promise<void>;
  /** Gives the connection back to its pool. */
  release(): Promise<void>;
}

/** A settle that waits for the COMMIT of TypeORM. */
interface Settle {
  send(): void;
  reject(error: unknown): void;
}

/** Anywhere: behind a comment, or another statement. A ROLLBACK too many changes nothing. */
const BEGIN = /\b(?:begin|start\s+transaction|and\s+chain)\b/i;
const COMMIT = /^\s*(?:commit|end)(?:\s+(?:work|transaction))?\s*;?\s*$/i;
const ROLLBACK = /^\s*(?:rollback|abort)(?:\s+(?:work|transaction))?\s*;?\s*$/i;

const onConnection = pgStatements(false);

/**
 * A transaction to which subscribers write, or which they refuse, between the end of its work and the COMMIT that
 * TypeORM sends. So the settle is sent, and the transaction closed to its handler, when that arrives.
 */
export class TypeOrmTransaction {
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
  readonly #runner: TypeOrmRunner;
  /** The runner at a depth of 1: it ends the whole transaction, whichever inner ones are open. */
  readonly #outermost: TypeOrmRunner;
  readonly #connection: EndingConnection;
  readonly #giveBack: () => Promise<void>;
  readonly #late = new LateStatements();
  #working: Promise<unknown> = Promise.resolve();
  #settle: Settle | undefined;
  #onSettle = (): void => undefined;
  /** `ending`: its work has ended, or waits for the settle, so that a COMMIT or ROLLBACK ends it. */
  #state: 'working' | 'ending' | 'committed' = 'working';
  /** Whether a subscriber has begun another one after the COMMIT. */
  #isOpenAgain = false;
  #committing: Promise<void> | undefined;
  #rollingBack: Promise<void> | undefined;

  static async on(runner: TypeOrmRunner): Promise<TypeOrmTransaction> {
    return new TypeOrmTransaction(runner, await runner.connect());
  }

  private constructor(runner: TypeOrmRunner, connection: EndingConnection) {
    this.#runner = runner;
    this.#outermost = Object.create(runner, {
      transactionDepth: { value: 1, writable: true },
    }) as TypeOrmRunner;
    this.#connection = connection;
    this.#giveBack = runner.release.bind(runner);
    const guarded = guardedConnection(connection, this.#late, (statement) => this.#endBy(statement));
    runner.connect = () => Promise.resolve(guarded);
    // The handler keeps its connection, and the pool that is destroyed waits for it.
    runner.release = () => {
      const { connectedQueryRunners } = runner.driver;
      const index = connectedQueryRunners.indexOf(runner);
      if (index !== -1) connectedQueryRunners.splice(index, 1);
      return Promise.resolve();
    };
  }

  /** Begins it, runs its work, and ends it, as TypeORM does. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    try {
      await this.#runner.startTransaction();
      const settling = new Promise<void>((resolve) => {
        this.#onSettle = resolve;
      });
      const working = work();
      this.#working = working;
      await Promise.race([working, settling]);
      this.#state = 'ending';
      await this.#commitWithSubscribers();
      return await working;
    } catch (error) {
      this.#state = 'ending';
      await this.#outermost.rollbackTransaction().catch(() => undefined);
      // One that has not been sent never is.
      this.#settle?.reject(error);
      await this.#working.catch(() => undefined);
      throw error;
    } finally {
      await this.#release();
    }
  }

  async #commitWithSubscribers(): Promise<void> {
    try {
      await this.#outermost.commitTransaction();
    } catch (error) {
      // What subscribers throw after the COMMIT changes nothing.
      if (this.#state !== 'committed') throw error;
    }
  }

  /** The answer to what ends it. */
  #endBy(statement: unknown): Promise<void> | undefined {
    if (typeof statement !== 'string') return undefined;
    if (this.#state === 'committed')
      this.#isOpenAgain = BEGIN.test(statement) || (this.#isOpenAgain && !isEnd(statement));
    if (this.#state !== 'ending') return undefined;
    if (COMMIT.test(statement)) return (this.#committing ??= this.#commit());
    return ROLLBACK.test(statement) ? this.#rollBack() : undefined;
  }

  async #commit(): Promise<void> {
    this.#late.close();
    this.#settle?.send();
    await this.#working;
    await endTransaction(this.#connection, 'commit');
    this.#ended();
    // What subscribers send after the COMMIT is outside of it, a COMMIT of theirs too.
    this.#state = 'committed';
    this.#late.reopen();
  }

  /** Once committed, it does nothing. */
  #rollBack(): Promise<void> {
    this.#late.close();
    this.#committing ??= rejected(rolledBack());
    return (this.#rollingBack ??= this.#committing.catch(async () => {
      await endTransaction(this.#connection, 'rollback');
      this.#ended();
    }));
  }

  #ended(): void {
    this.#runner.isTransactionActive = false;
    this.#runner.transactionDepth = 0;
  }

  async #release(): Promise<void> {
    // TypeORM sends no ROLLBACK when a subscriber throws before it,
    await this.#rollBack().catch(() => undefined);
    // nor for a transaction that a subscriber began after the COMMIT and left open.
    if (this.#isOpenAgain) {
      await endTransaction(this.#connection, 'rollback').catch(() => undefined);
    }
    await this.#giveBack();
  }
}

function isEnd(statement: string): boolean {
  return COMMIT.test(statement) || ROLLBACK.test(statement);
}
