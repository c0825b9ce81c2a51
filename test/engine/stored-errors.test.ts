import { describe, expect, it } from 'vitest';
import { type StoredError, TerminalError } from '../../src/index.ts';
import { usePostgresBench } from './support/bench.ts';

function thrower(error: unknown) {
  return () => {
    throw error;
  };
}

function withGetter(property: string): Error {
  return Object.defineProperty(new Error('readable'), property, {
    get() {
      throw new Error(`no ${property}`);
    },
  });
}

function chain(length: number): Error {
  let error = new Error(`cause ${length}`);
  for (let depth = length - 1; depth >= 0; depth -= 1) error = new Error(`cause ${depth}`, { cause: error });
  return error;
}

function depthOf(error: StoredError | undefined): number {
  return error === undefined ? 0 : 1 + depthOf(error.cause);
}

const selfCaused = new Error('circular');
selfCaused.cause = selfCaused;

describe('the error of a failed message', () => {
  const bench = usePostgresBench();

  /** What the first run and the replay say, which must be the same. */
  async function errorKept(thrown: unknown): Promise<StoredError> {
    const handleOnce = bench.handleOnce({ maxAttempts: 1 });
    const first = await handleOnce('key', 'body', thrower(thrown));
    const replay = await handleOnce('key', 'body', thrower('not run'));
    if (first.state !== 'failed') throw new Error(`ended ${first.state}`);
    expect(replay).toStrictEqual({ ...first, replayed: true });
    return first.error;
  }

  it('keeps name, message, code and causes', async () => {
    const cause = Object.assign(new TypeError('socket closed'), { code: 'ECONNRESET' });
    const error = new TerminalError('no charge', { code: 'NO_CHARGE', cause });
    expect(await errorKept(error)).toStrictEqual({
      name: 'TerminalError',
      message: 'no charge',
      code: 'NO_CHARGE',
      cause: { name: 'TypeError', message: 'socket closed', code: 'ECONNRESET' },
    });
  });

  it('keeps a code that is a finite number, and no other kind of code', async () => {
    expect(await errorKept(Object.assign(new Error('no'), { code: 404 }))).toHaveProperty('code', 404);
    expect(await errorKept(Object.assign(new Error('no'), { code: NaN }))).not.toHaveProperty('code');
    expect(await errorKept(Object.assign(new Error('no'), { code: { card: 1 } }))).not.toHaveProperty('code');
  });

  it('keeps nothing else: clients hang requests and payloads on their errors', async () => {
    const error = Object.assign(new Error('declined'), { request: { card: '4242' }, response: 'secret' });
    expect(await errorKept(error)).toStrictEqual({ name: 'Error', message: 'declined' });
  });

  it('keeps four causes', async () => {
    expect(depthOf(await errorKept(chain(3)))).toBe(4);
    expect(depthOf(await errorKept(chain(4)))).toBe(5);
    expect(depthOf(await errorKept(chain(9)))).toBe(5);
  });

  it('survives an error that is its own cause', async () => {
    expect(depthOf(await errorKept(selfCaused))).toBe(5);
  });

  it('bounds the texts, and cuts no character in half', async () => {
    const error = Object.assign(new Error(`${'m'.repeat(1_998)}\u{1f600}${'m'.repeat(5_000)}`), {
      name: 'n'.repeat(5_000),
      code: 'c'.repeat(5_000),
    });
    const { name, message, code } = await errorKept(error);
    expect(message).toBe(`${'m'.repeat(1_998)}\ufffd…`);
    expect(name).toBe(`${'n'.repeat(199)}…`);
    expect(code).toBe(`${'c'.repeat(199)}…`);
    expect((await errorKept('m'.repeat(2_000))).message).toBe('m'.repeat(2_000));
  });

  it.each(['name', 'message', 'code', 'cause'])(
    'survives a %s that throws when it is read',
    async (property) => {
      const { name, message } = await errorKept(withGetter(property));
      expect(name).toBe('Error');
      expect(message).toBe(property === 'message' ? '' : 'readable');
    },
  );

  it('keeps texts that the database could not', async () => {
    expect(await errorKept(new Error('a\u0000b\ud800'))).toHaveProperty('message', 'a\u0000b\ud800');
  });

  it.each([
    ['a text', 'declined', 'declined'],
    ['an object', { card: 'secret' }, 'a value of type object was thrown, not an Error'],
    ['null', null, 'a value of type null was thrown, not an Error'],
    ['undefined', undefined, 'a value of type undefined was thrown, not an Error'],
    ['a symbol', Symbol('secret'), 'a value of type symbol was thrown, not an Error'],
  ])('says that %s was thrown, and never what is in it', async (_, thrown, message) => {
    expect(await errorKept(thrown)).toStrictEqual({ name: 'NonErrorThrown', message });
  });
});

describe('the row of a failed message', () => {
  const bench = usePostgresBench();

  it.each([
    ['failed', new TerminalError('declined')],
    ['released', new Error('declined')],
  ])('holds no payload when it has %s, though the error carried it', async (_, error) => {
    const handleOnce = bench.handleOnce();
    const thrown = Object.assign(error, { payload: { card: 'secret' } });
    await handleOnce('key', { card: 'secret' }, thrower(thrown));
    const row = await bench.record(handleOnce.settings.scope, 'key');
    expect(row?.error).toContain('declined');
    expect(JSON.stringify(row)).not.toContain('secret');
  });
});
