import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DoneDeadLetters } from '../../adapters/kafka/redrive/done-dead-letters.ts';

type Decision = 'passed' | 'kept';

/** Goes through dead letters from where it is to begin. Notes what was done with each that was not done with before. */
function readOn(before: DoneDeadLetters, offsets: readonly bigint[], decide: (offset: bigint) => Decision) {
  const done = new DoneDeadLetters(before.position, before.metadata);
  const taken: bigint[] = [];
  for (const offset of offsets.filter((one) => one >= done.position)) {
    if (done.has(offset)) done.skip(offset);
    else {
      taken.push(offset);
      if (decide(offset) === 'passed') done.pass(offset);
      else done.keep(offset);
    }
  }
  return { done, taken };
}

const nothing = () => new DoneDeadLetters(0n, '');

test('the position is that of the first dead letter that was kept, and what was passed behind it is known', () => {
  const kept = new Set([5n, 7n]);
  const { done } = readOn(nothing(), [3n, 5n, 6n, 7n, 8n], (offset) =>
    kept.has(offset) ? 'kept' : 'passed',
  );
  expect([done.position, done.metadata]).toEqual([5n, 'handle-once:4,0,1,1,1']);
  const next = readOn(done, [5n, 6n, 7n, 8n, 9n], () => 'kept');
  expect(next.taken).toEqual([5n, 7n, 9n]);
  const last = readOn(next.done, [5n, 6n, 7n, 8n, 9n, 12n], () => 'passed');
  expect([last.taken, last.done.position, last.done.metadata]).toEqual([[5n, 7n, 9n, 12n], 13n, '']);
});

test('whatever is kept and passed, by however many calls, no dead letter is passed twice and none is lost', () => {
  const log = fc.uniqueArray(fc.bigInt({ min: 0n, max: 60n }), { maxLength: 30 });
  const calls = fc.array(fc.array(fc.boolean(), { minLength: 61, maxLength: 61 }), { maxLength: 6 });
  fc.assert(
    fc.property(log, calls, (unordered, choices) => {
      const offsets = unordered.toSorted((one, other) => (one < other ? -1 : 1));
      const passed = new Set<bigint>();
      let done = nothing();
      for (const choice of choices) {
        const call = readOn(done, offsets, (offset) => (choice[Number(offset)] === true ? 'passed' : 'kept'));
        expect(call.taken).toEqual(offsets.filter((offset) => !passed.has(offset)));
        for (const offset of call.taken) if (choice[Number(offset)] === true) passed.add(offset);
        ({ done } = call);
        const open = offsets.find((offset) => !passed.has(offset));
        expect(done.position <= (open ?? 62n)).toBe(true);
      }
    }),
  );
});

test('what has no room to be remembered is told before, and the metadata stays below what brokers take', () => {
  const done = new DoneDeadLetters(2n ** 62n, '');
  let offset = 2n ** 62n;
  let passed = 0;
  for (let round = 0; round < 300; round += 1) {
    done.keep(offset);
    offset += 1_000_000_007n;
    if (done.hasRoom) passed += 1;
    if (done.hasRoom) done.pass(offset);
    else done.keep(offset);
    offset += 1_000_000_007n;
  }
  expect([passed > 100, done.metadata.length < 4_096, done.hasRoom]).toEqual([true, true, false]);
});

test.each(['other', 'handle-once:', 'handle-once:1,', 'handle-once:x', 'handle-once:1<3'])(
  'metadata of others says nothing: %s',
  (metadata) => {
    const done = new DoneDeadLetters(5n, metadata);
    expect([done.has(4n), done.has(5n), done.position]).toEqual([true, false, 5n]);
  },
);
