import { StoreError } from '../../src/api/errors.ts';
import { createTable, idOf, lookedUp, type MemoryRecord, type MemoryTable } from '../../src/store/memory.ts';
import type {
  ClaimReply,
  ClaimRequest,
  ClaimTerms,
  Exchanged,
  SettleReply,
  SettleRequest,
  Store,
} from '../../src/store/store.ts';
import type { TransactionalStore } from '../../src/store/transactional-store.ts';
import type { Verb } from '../facts.ts';
import type { Life } from '../world/life.ts';
import { never } from '../world/never.ts';
import type { World } from '../world/world.ts';
import { PATIENCE_MS, Pool } from './pool.ts';
import { type Transaction, Transactions } from './transactions.ts';

/** A text that the database cannot store, as U+0000 is to PostgreSQL. */
export const REFUSED_TEXT = 'refused-text';

/** How often another transaction has a record locked. */
const LOCKED_SHARE = 0.03;

/** How often a settle that goes with claims is left for a statement of its own. */
const LEFT_SHARE = 0.05;

/** Far from every clock of the workers: only differences count. */
const OWN_TIME_MS = 5_000_000_000;

interface Statement<Request, Reply> {
  readonly verb: Verb;
  readonly leaseMs: number;
  readonly answerOne: (table: MemoryTable, request: Request) => Reply;
  /** The answer of a record that is locked. Undefined: this one is not. */
  readonly whenLocked: (request: Request) => Reply | undefined;
  readonly tell: (request: Request, reply: Reply, before: MemoryRecord | undefined, askedAt: number) => void;
  readonly isOwn: (reply: Reply) => boolean;
  /** What refuses it as a whole, before it does anything. Absent: nothing does. */
  readonly refusal?: (requests: readonly Request[]) => StoreError | undefined;
}

/**
 * The records, with a clock of their own, as workers reach them over the network. A statement does all that it does in
 * one step; its verbs are those of the memory store, which the contract of all stores holds to the SQL.
 */
export class Database {
  readonly #world: World;
  readonly #records = new Map<string, MemoryRecord>();
  readonly #transactions: Transactions;
  readonly #pools = new Map<Life, Pool>();

  constructor(world: World) {
    this.#world = world;
    this.#transactions = new Transactions(world, {
      isOwner: ({ key, token }) => {
        const record = this.recordOf(key);
        return record?.token === token && record.owned;
      },
      refuses: hasRefusedText,
      settle: (life, request, scope) => {
        this.#settle(life, request, scope);
      },
      poolOf: (life) => this.poolOf(life),
    });
  }

  recordOf(key: string): MemoryRecord | undefined {
    return this.#records.get(this.#idOf(key));
  }

  /** The connections of a process. */
  poolOf(life: Life): Pool {
    const known = this.#pools.get(life);
    if (known !== undefined) return known;
    const pool = new Pool(this.#world, life);
    this.#pools.set(life, pool);
    return pool;
  }

  /** Milliseconds by its own clock. */
  now(): number {
    return OWN_TIME_MS + this.#world.scheduler.now();
  }

  /** The store as one process has it. */
  clientOf(life: Life): Store {
    const table = createTable(this.#records, () => this.now());
    const { tell } = this.#world;
    return {
      claim: (requests, terms) => this.#send(life, table, requests, this.#claims(life, terms)),
      settle: (requests, scope) => this.#send(life, table, requests, this.#settles(life, scope)),
      exchange: {
        // What a process asks for in one turn is little.
        from: 1,
        send: (claims, settles, terms) => this.#exchange(life, table, claims, settles, terms),
      },
      extend: (requests, terms) =>
        this.#send(life, table, requests, {
          verb: 'extend',
          leaseMs: terms.leaseMs,
          answerOne: (of, request) => of.extend(request, terms),
          whenLocked: () => 'locked',
          tell: ({ key, token }, reply, before, sentAt) => {
            const after = this.#snapshot(key);
            tell({ type: 'extend', life, key, token, leaseMs: terms.leaseMs, sentAt, reply, before, after });
          },
          isOwn: (reply) => reply === 'extended',
        }),
      check: () => this.#read(life, () => undefined),
      lookup: (key, scope) =>
        this.#read(life, () => lookedUp(this.#records.get(idOf(scope, key)), this.now())),
    };
  }

  #claims(life: Life, terms: ClaimTerms): Statement<ClaimRequest, ClaimReply> {
    return {
      verb: 'claim',
      leaseMs: terms.leaseMs,
      answerOne: (of, request) => of.claim(request, terms),
      whenLocked: ({ key }) => this.#answerToLocked(key, terms),
      tell: ({ key, token, fingerprint }, reply, before, sentAt) => {
        if (reply.kind === 'claimed' && before !== undefined) this.#transactions.fenceOff(before.token);
        const after = this.#snapshot(key);
        const effect = { life, key, token, fingerprint, terms, reply, before, after, sentAt };
        this.#world.tell({ type: 'claim', ...effect });
      },
      isOwn: ({ kind }) => kind === 'claimed',
    };
  }

  #settles(life: Life, scope: string): Statement<SettleRequest, SettleReply> {
    return {
      verb: 'settle',
      leaseMs: this.#world.plan.settings.leaseMs,
      answerOne: (of, request) => of.settle(request, scope),
      whenLocked: () => 'locked',
      tell: ({ key, token, settlement }, reply, before) => {
        if (reply === 'settled' && before?.owned === true) this.#transactions.fenceOff(token);
        const after = this.#snapshot(key);
        this.#world.tell({ type: 'settle', life, key, token, settlement, reply, before, after });
      },
      isOwn: () => false,
    };
  }

  /** As the SQL: it leaves claims of claimable records, and settles that change nothing, and waits for no lock. */
  async #exchange(
    life: Life,
    table: MemoryTable,
    claims: readonly ClaimRequest[],
    settles: readonly SettleRequest[],
    terms: ClaimTerms,
  ): Promise<Exchanged> {
    const askedAt = this.#world.scheduler.now();
    const claiming = this.#claims(life, terms);
    const settling = this.#settles(life, terms.scope);
    const replies = await this.#send<ClaimRequest | SettleRequest, ClaimReply | SettleReply | undefined>(
      life,
      table,
      [...claims, ...settles],
      {
        verb: 'settle',
        leaseMs: terms.leaseMs,
        refusal: () => this.#lockedFor(life, settles),
        whenLocked: () => undefined,
        answerOne: (of, request) => {
          const record = this.recordOf(request.key);
          if (isSettle(request)) {
            const owns = record?.token === request.token && record.owned;
            // A store may leave any of them.
            const isLeft = this.#world.random.chance(LEFT_SHARE);
            return owns && !isLeft ? settling.answerOne(of, request) : undefined;
          }
          const isClaimable = record !== undefined && record.liveUntil <= this.now();
          return isClaimable ? undefined : claiming.answerOne(of, request);
        },
        tell: (request, reply, before, sentAt) => {
          if (reply === undefined) return;
          if (isSettle(request)) settling.tell(request, reply as SettleReply, before, sentAt);
          else claiming.tell(request, reply as ClaimReply, before, sentAt);
        },
        isOwn: () => false,
      },
    );
    const claimed = replies.slice(0, claims.length) as (ClaimReply | undefined)[];
    claims.forEach(({ key, token }, index) => {
      if (claimed[index]?.kind !== 'claimed') return;
      this.#world.tell({ type: 'confirmed', verb: 'claim', life, key, token, askedAt });
    });
    return { claims: claimed, settles: replies.slice(claims.length) as (SettleReply | undefined)[] };
  }

  #lockedFor(life: Life, settles: readonly SettleRequest[]): StoreError | undefined {
    const locked = settles.find(({ key }) => this.#isLocked(key, this.recordOf(key)));
    if (locked === undefined) return undefined;
    this.#tellLocked(life, locked.key);
    return new StoreError('a record is locked', { retriable: true, mayHaveLanded: false });
  }

  #tellLocked(life: Life, key: string): void {
    const now = this.#world.scheduler.now();
    this.#world.tell({ type: 'fault', fault: 'record locked', life, what: key });
    life.troubles.push({ from: now, to: now });
  }

  /** The same with transactions. `tellsRollback`: a COMMIT that is answered with a rollback is an error in any case. */
  transactionalClientOf(
    life: Life,
    tellsRollback = this.#world.random.chance(0.5),
  ): TransactionalStore<Transaction> {
    return this.#transactions.clientOf(life, this.clientOf(life), tellsRollback);
  }

  /** What a transaction has put on record. */
  #settle(life: Life, request: SettleRequest, scope: string): void {
    const { key, token, settlement } = request;
    const before = this.#snapshot(key);
    const reply = createTable(this.#records, () => this.now()).settle(request, scope);
    this.#world.tell({
      type: 'settle',
      life,
      key,
      token,
      settlement,
      reply,
      before,
      after: this.#snapshot(key),
    });
  }

  /** As the operation of that name, which changes nothing but failed records that have not expired. */
  reopenAny(): void {
    const { messages } = this.#world.plan;
    const failed = messages.filter(({ key = '' }) => this.#isFailed(this.recordOf(key)));
    if (failed.length === 0) return;
    const { key = '' } = this.#world.random.pick(failed);
    const record = this.recordOf(key) as MemoryRecord;
    const counters = { failures: 0, deaths: 0, failedReason: null };
    Object.assign(record, { state: 'pending', owned: false, ...counters, liveUntil: this.now() });
    this.#world.tell({ type: 'fault', fault: 'operator reopened a record', what: key });
    this.#world.tell({ type: 'reopened', key });
  }

  forget(key: string): void {
    if (this.#transactions.isLocked(key) || !this.#records.delete(this.#idOf(key))) return;
    this.#world.tell({ type: 'fault', fault: 'operator forgot a record', what: key });
    this.#world.tell({ type: 'forgotten', key });
  }

  async #read<Reply>(life: Life, answer: () => Reply): Promise<Reply> {
    const { network } = this.#world;
    if (!life.isAlive) return await never();
    return await network.send(life, network.fateOf(life, 'store'), answer, outOfReach);
  }

  #idOf(key: string): string {
    return idOf(this.#world.plan.surface.identity.scope, key);
  }

  #isFailed(record: MemoryRecord | undefined): boolean {
    return record?.state === 'failed' && record.liveUntil > this.now();
  }

  async #send<Request extends { readonly key: string; readonly token: string }, Reply>(
    life: Life,
    table: MemoryTable,
    requests: readonly Request[],
    statement: Statement<Request, Reply>,
  ): Promise<readonly Reply[]> {
    if (!life.isAlive) return await never();
    const { scheduler, tell, plan } = this.#world;
    const { verb } = statement;
    const askedAt = scheduler.now();
    for (const { key, token } of requests) tell({ type: 'asked', verb, life, key, token });
    const call = (): Promise<readonly Reply[]> => this.#call(life, table, requests, statement, askedAt);
    try {
      const replies = await (plan.settings.connections === undefined
        ? call()
        : this.#onConnection(life, call));
      requests.forEach(({ key, token }, index) => {
        if (!statement.isOwn(replies[index] as Reply)) return;
        tell({ type: 'confirmed', verb, life, key, token, askedAt });
      });
      return replies;
    } finally {
      tell({ type: 'answered', verb, life });
    }
  }

  #call<Request extends { readonly key: string }, Reply>(
    life: Life,
    table: MemoryTable,
    requests: readonly Request[],
    statement: Statement<Request, Reply>,
    askedAt: number,
  ): Promise<readonly Reply[]> {
    if (!life.isAlive) return never();
    const { network, scheduler } = this.#world;
    const fate = network.fateOf(life, 'store');
    if (fate.fault !== undefined && statement.verb !== 'claim') {
      const patienceMs = fate.answer === 'silence' ? statement.leaseMs : fate.answersAfterMs;
      const to = scheduler.now() + Math.max(patienceMs, fate.landsAfterMs ?? 0);
      life.troubles.push({ from: askedAt, to });
    }
    const land = (): readonly Reply[] | StoreError => this.#land(life, table, requests, statement, askedAt);
    return network.send<readonly Reply[]>(life, fate, land, outOfReach);
  }

  /** Makes a call on a connection of the pool, which is closed where it gets no answer. */
  async #onConnection<Reply>(life: Life, call: () => Promise<Reply>): Promise<Reply> {
    const giveBack = await this.poolOf(life).take();
    let timer;
    const closed = new Promise<never>((_, reject) => {
      timer = life.clock.setTimer(() => {
        reject(outOfReach(true));
      }, PATIENCE_MS);
    });
    try {
      return await Promise.race([call(), closed]);
    } finally {
      life.clock.clearTimer(timer);
      giveBack();
    }
  }

  #land<Request extends { readonly key: string }, Reply>(
    life: Life,
    table: MemoryTable,
    requests: readonly Request[],
    statement: Statement<Request, Reply>,
    askedAt: number,
  ): readonly Reply[] | StoreError {
    if (requests.some(hasRefusedText)) {
      this.#world.tell({ type: 'fault', fault: 'result refused by the store', life });
      return new StoreError('the database refused a value', { retriable: false, dataRefused: true });
    }
    const refusal = statement.refusal?.(requests);
    if (refusal !== undefined) return refusal;
    return requests.map((request) => {
      const before = this.#snapshot(request.key);
      const locked = this.#isLocked(request.key, before) ? statement.whenLocked(request) : undefined;
      if (locked !== undefined) {
        this.#tellLocked(life, request.key);
        return locked;
      }
      const reply = statement.answerOne(table, request);
      statement.tell(request, reply, before, askedAt);
      return reply;
    });
  }

  #isLocked(key: string, record: MemoryRecord | undefined): boolean {
    if (this.#transactions.isLocked(key)) return true;
    const { network, random, plan } = this.#world;
    return record !== undefined && plan.locks && !network.isCalm && random.chance(LOCKED_SHARE);
  }

  #answerToLocked(key: string, { leaseMs }: ClaimTerms): ClaimReply {
    return { kind: 'in-flight', attempts: this.recordOf(key)?.attempts ?? 0, retryAfterMs: leaseMs / 3 };
  }

  #snapshot(key: string): MemoryRecord | undefined {
    const record = this.recordOf(key);
    return record && { ...record };
  }
}

function outOfReach(mayHaveLanded: boolean): StoreError {
  return new StoreError('the database cannot be reached', { retriable: true, mayHaveLanded });
}

function isSettle(request: ClaimRequest | SettleRequest): request is SettleRequest {
  return 'settlement' in request;
}

function hasRefusedText(request: object): boolean {
  const { settlement } = request as Partial<SettleRequest>;
  return settlement?.kind === 'succeed' && settlement.result?.includes(REFUSED_TEXT) === true;
}
