import { InvalidOptionsError } from 'handle-once';
import type { KafkaEvent } from 'handle-once/kafka';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { createWarnStuck } from '../../adapters/kafka/partition/stuck.ts';
import { isStuck } from '../../adapters/shared/kafka/is-stuck.ts';
import { createEventSink } from '../../src/reporting/event-sink.ts';

const emitWarning = vi.spyOn(process, 'emitWarning');

beforeEach(() => {
  emitWarning.mockReset().mockImplementation(() => undefined);
});

afterAll(() => {
  emitWarning.mockRestore();
});

function warnStuckWith() {
  const events: KafkaEvent[] = [];
  const onEvent = (event: KafkaEvent) => events.push(event);
  return { warnStuck: createWarnStuck(createEventSink({ onEvent }), false), events };
}

test('tells where a partition is stuck, why, and what to do, as an event or else as a process warning', () => {
  const { warnStuck, events } = warnStuckWith();
  warnStuck('orders', 3, '42', 'it is another message.');
  const message = expect.stringMatching(
    /^partition 3 of orders is stuck at offset 42: it is another message\. .*onFailed/,
  ) as string;
  expect(events).toEqual([{ type: 'warning', warning: 'PARTITION_STUCK', message }]);
  expect(emitWarning).not.toHaveBeenCalled();
  createWarnStuck(createEventSink<KafkaEvent>({}), false)('orders', 3, '42', 'it is another message.');
  expect(emitWarning).toHaveBeenCalledExactlyOnceWith(message, {
    type: 'HandleOnceWarning',
    code: 'PARTITION_STUCK',
  });
});

test('tells each offset once, and each partition by itself', () => {
  const { warnStuck, events } = warnStuckWith();
  for (const [partition, offset] of [
    [0, '1'],
    [0, '1'],
    [1, '1'],
    [0, '1'],
    [0, '2'],
    [0, '1'],
    [0, '2'],
  ] as const) {
    warnStuck('orders', partition, offset, 'why');
  }
  const places = events.map((event) =>
    event.type === 'warning' ? /partition \d.* offset \d/.exec(event.message)?.[0] : event.type,
  );
  expect(places).toEqual([
    'partition 0 of orders is stuck at offset 1',
    'partition 1 of orders is stuck at offset 1',
    'partition 0 of orders is stuck at offset 2',
  ]);
});

test('with a dead-letter topic it says why nothing goes there', () => {
  const messages: string[] = [];
  const onEvent = (event: KafkaEvent): void => {
    if (event.type === 'warning') messages.push(event.message);
  };
  createWarnStuck(createEventSink({ onEvent }), true)('orders', 3, '42', 'it has no key.');
  expect(messages).toEqual([
    'partition 3 of orders is stuck at offset 42: it has no key. ' +
      '(it is not dead-lettered, because a function in the options seems to be wrong: correct it)',
  ]);
});

test.each([
  ['mismatch', undefined, true],
  ['invalid-key', undefined, true],
  ['error', new InvalidOptionsError('onceEachKafkaMessage', []), true],
  ['error', new Error('unforeseen'), false],
  ['released', undefined, false],
] as const)('whether only a person gets past what is kept as %s (%s): %s', (reason, error, expected) => {
  expect(isStuck({ acknowledge: false, key: 'k', reason, error })).toBe(expected);
  expect(isStuck({ acknowledge: true, key: 'k', deadLettered: false })).toBe(false);
});
