import type { KafkaEvent } from 'handle-once/kafka';
import { expect, test, vi } from 'vitest';
import { createAssignments } from '../../adapters/kafka/partition/assignments.ts';
import { holdStartPositions } from '../../adapters/kafka/partition/start-positions.ts';
import { createEventSink } from '../../src/reporting/event-sink.ts';
import { fakeAdmin } from './support/fake-admin.ts';

test('a retry topic is held until its beginning is committed, whatever fails before', async () => {
  const admin = fakeAdmin();
  admin.ends['retry/0'] = '5';
  admin.error = new Error('down');
  const events: KafkaEvent[] = [];
  const commit = vi.fn(() => {
    admin.committed['retry/0'] = '0';
    return Promise.resolve();
  });
  const resume = vi.fn();
  const assignments = createAssignments(() => undefined);
  assignments.joined({ retry: [0] });
  const held = holdStartPositions({ retry: [0] }, assignments.generation(), {
    ...{
      client: { commit, moveTo: () => undefined },
      pauses: { hold: () => resume },
      admin,
      groupId: 'workers',
      from: 'beginning',
    },
    isMovedByUser: () => false,
    events: createEventSink<KafkaEvent>({ onEvent: (event) => events.push(event) }),
  });
  await vi.waitUntil(() => admin.queries.length > 1, 10_000);
  expect(events).toMatchObject([{ warning: 'START_NOT_COMMITTED' }]);
  expect([commit, resume].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);

  admin.error = undefined;
  await held;
  expect(commit.mock.calls).toMatchObject([[{ topic: 'retry', partition: 0 }, 0n]]);
  expect(resume).toHaveBeenCalledOnce();
});
