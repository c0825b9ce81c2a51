import { expect, test, vi } from 'vitest';
import { useFakeTimers } from '../support/fake-timers.ts';
import { createProgress } from '../../adapters/cli/progress.ts';

useFakeTimers();

function stream(isTTY: boolean) {
  const written: string[] = [];
  const write = (text: string): boolean => written.push(text) > 0;
  return { written, given: { isTTY, write } as unknown as NodeJS.WriteStream };
}

test('progress is one line of a terminal, not written too often, and taken away', () => {
  const { written, given } = stream(true);
  const progress = createProgress(given);
  progress.show('1 sent');
  progress.show('2 sent');
  vi.advanceTimersByTime(100);
  progress.show('3 sent');
  progress.end();
  expect(written).toEqual(['\r\u001b[K1 sent', '\r\u001b[K3 sent', '\r\u001b[K']);
});

test('where stderr is no terminal it is a line every ten seconds, and none for what is done before', () => {
  const { written, given } = stream(false);
  const progress = createProgress(given);
  progress.show('1 sent');
  vi.advanceTimersByTime(9_999);
  progress.show('2 sent');
  expect(written).toEqual([]);
  vi.advanceTimersByTime(1);
  progress.show('3 sent');
  progress.show('4 sent');
  vi.advanceTimersByTime(10_000);
  progress.show('5 sent');
  progress.end();
  expect(written).toEqual(['3 sent\n', '5 sent\n']);
});
