import { afterEach, describe, expect, it, vi } from 'vitest';
import { createHandleOnce, type LogFields, type Logger, TerminalError } from '../../src/index.ts';
import { createMemoryStore } from '../../testing/index.ts';
import { hostile } from '../support/hostile.ts';
import { expectSoon } from '../support/until.ts';

type Line = readonly [level: string, fields: LogFields, message: string];

function recording() {
  const lines: Line[] = [];
  const at = (level: string) => (fields: LogFields, message: string) => {
    lines.push([level, fields, message]);
  };
  return { lines, logger: { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') } };
}

function create(logger: Logger) {
  return createHandleOnce({ store: createMemoryStore(), scope: 'billing', logger });
}

const noop = () => undefined;
const throwing = (error: unknown) => () => {
  throw error;
};

it('a line of what a function of the user did wrong has the scope', async () => {
  const { lines, logger } = recording();
  const handleOnce = createHandleOnce({
    ...{ store: createMemoryStore(), scope: 'billing', logger },
    backoff: () => throwing(new Error('backoff'))(),
    onEvent: throwing(new Error('hook')),
  });
  await handleOnce.inScope('tenant-7')('key', 1, throwing(new Error('no')));
  await expectSoon(() => {
    for (const code of ['BACKOFF_FAILED', 'ON_EVENT_FAILED']) {
      const [, fields, text] = lines.find(([, line]) => line.code === code) ?? [];
      expect(fields).toMatchObject({ scope: 'tenant-7' });
      expect(text).toMatch(/ \(scope tenant-7\)$/);
    }
  });
});

describe('a logger', () => {
  afterEach(() => vi.restoreAllMocks());

  it('gets each event that concerns its reader, with flat fields, and nothing is printed', async () => {
    const emitWarning = vi.spyOn(process, 'emitWarning');
    const { lines, logger } = recording();
    const handleOnce = create(logger);
    const error = Object.assign(new TypeError('no id'), { code: 'E_ID', request: { card: 'secret' } });
    await handleOnce('key', { card: 'secret' }, throwing(error));
    const [line] = lines;
    expect(line).toEqual([
      'warn',
      {
        code: 'RELEASED',
        type: 'released',
        scope: 'billing',
        key: 'key',
        state: 'pending',
        attempts: 1,
        durationMs: expect.any(Number) as number,
        retryAfterMs: expect.any(Number) as number,
        error: {
          name: 'TypeError',
          message: 'no id',
          code: 'E_ID',
          stack: expect.stringMatching(/^ +at .*logger\.test\.ts/) as string,
        },
      },
      expect.stringMatching(/^handle-once: .*key key, .*: TypeError \(E_ID\): no id$/),
    ]);
    expect(JSON.parse(JSON.stringify(line))).toEqual(line);
    expect(JSON.stringify(lines)).not.toContain('secret');
    expect(emitWarning).not.toHaveBeenCalled();
  });

  it('gets all of them, each at its level', async () => {
    const { lines, logger } = recording();
    const handleOnce = create(logger);
    for (let key = 1; key <= 30; key += 1) {
      await handleOnce(`${key}`, 'body', throwing(new TerminalError('never')));
    }
    await handleOnce('key', 'one', throwing(new Error('again')));
    await handleOnce('key', 'one', () => 1);
    await handleOnce('key', 'two', () => 1).catch(() => undefined);
    expect(lines.slice(29).map(([level, { code }]) => [level, code])).toEqual([
      ['error', 'FAILED'],
      ['warn', 'RELEASED'],
      ['debug', 'BACKING_OFF'],
      ['error', 'PAYLOAD_MISMATCH'],
    ]);
  });

  it('needs no more than error and warn', async () => {
    const { lines, logger } = recording();
    const { error, warn } = logger;
    const handleOnce = create({ error, warn });
    await handleOnce('key', 'body', throwing(new Error('again')));
    await handleOnce('key', 'body', throwing(new Error('again')));
    expect(lines.map(([level]) => level)).toEqual(['warn']);
  });

  it('is called as a method, as loggers that are classes need it', async () => {
    class ClassLogger implements Logger {
      readonly codes: string[] = [];
      error({ code }: LogFields): void {
        this.codes.push(code);
      }
      warn({ code }: LogFields): void {
        this.codes.push(code);
      }
    }
    const logger = new ClassLogger();
    await create(logger)('key', 'body', throwing(new Error('again')));
    expect(logger.codes).toEqual(['RELEASED']);
  });

  it.each<[string, () => unknown]>([
    ['throws', throwing(new Error('no disk'))],
    ['rejects', () => Promise.reject(new Error('no disk'))],
  ])('that %s decides nothing, and is a process warning', async (_, log) => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const handleOnce = create({ error: log, warn: log });
    const outcome = await handleOnce('key', 'body', throwing(new Error('again')));
    expect(outcome).toMatchObject({ state: 'pending', reason: 'released' });
    await expectSoon(() => {
      expect(emitWarning).toHaveBeenCalledExactlyOnceWith('logger failed on released: Error: no disk', {
        type: 'HandleOnceWarning',
        code: 'LOGGER_FAILED',
      });
    });
  });

  it.each(hostile)('gets a line of what a handler throws that is %s', async (_, value) => {
    const { lines, logger } = recording();
    await create(logger)('key', 'body', throwing(value()));
    expect(lines).toMatchObject([['warn', { code: 'RELEASED' }, expect.stringContaining('key key')]]);
  });

  it('gets what a failing onEvent throws, too', async () => {
    const { lines, logger } = recording();
    const onEvent = throwing(new Error('no metrics'));
    await createHandleOnce({ store: createMemoryStore(), scope: 'billing', logger, onEvent })(
      'key',
      1,
      () => 1,
    );
    expect(lines.map(([level, { code }]) => [level, code])).toEqual([
      ['warn', 'ON_EVENT_FAILED'],
      ['warn', 'ON_EVENT_FAILED'],
    ]);
  });

  it.each<[unknown]>([
    [null],
    ['console'],
    [{}],
    [{ error: noop }],
    [{ error: noop, warn: noop, info: 'yes' }],
  ])('that is none is refused: %j', (logger) => {
    const options = { store: createMemoryStore(), scope: 'billing', logger: logger as Logger };
    expect(() => createHandleOnce(options)).toThrow(/logger: must be a logger with error and warn/);
  });
});
