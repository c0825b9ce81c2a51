import { expect, it } from 'vitest';
import { toMarkdown } from '../../bench/report/markdown.ts';

const spread = { min: 1, median: 2, max: 3.25 };

it('has a column for each thing that was measured, and a dash for who has none of it', () => {
  const contenders = [
    { contender: 'ours', messagesPerSecond: spread, latencies: { p99: spread }, waits: 'the disk' },
    { contender: 'theirs', messagesPerSecond: spread, costs: { server: spread } },
  ];
  const figures = {
    facts: { rounds: 3, handler: 'none' },
    comparisons: [{ setting: { inFlight: 1 }, contenders }],
  };
  expect(toMarkdown('latency', figures).split('\n')).toEqual([
    '## latency',
    '',
    'rounds: 3; handler: none',
    '',
    '| inFlight: 1 | msg/s | p99, ms | server CPU, us | its sessions wait for |',
    '| --- | --- | --- | --- | --- |',
    '| ours | 2 (1 to 3) | 2.00 (1.00 to 3.25) | - | the disk |',
    '| theirs | 2 (1 to 3) | - | 2 (1 to 3) | - |',
  ]);
});
