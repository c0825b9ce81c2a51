import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createAlarm } from '../../src/lib/alarm.ts';
import { systemClock } from '../../src/lib/clock.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test('each callback is called once, after the delay from its own setting', () => {
  const alarm = createAlarm(100, systemClock);
  const called: string[] = [];
  alarm.set(() => called.push('a'));
  vi.advanceTimersByTime(60);
  alarm.set(() => called.push('b'));
  vi.advanceTimersByTime(39);
  expect(called).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(called).toEqual(['a']);
  vi.advanceTimersByTime(60);
  expect(called).toEqual(['a', 'b']);
  vi.advanceTimersByTime(1_000);
  expect(called).toEqual(['a', 'b']);
});

test('a callback that is removed is not called, and keeps no other from it', () => {
  const alarm = createAlarm(100, systemClock);
  const called: string[] = [];
  const remove = alarm.set(() => called.push('a'));
  vi.advanceTimersByTime(50);
  alarm.set(() => called.push('b'));
  remove();
  vi.advanceTimersByTime(100);
  expect(called).toEqual(['b']);
});

test('a callback that sets the alarm again does not delay those who wait', () => {
  const alarm = createAlarm(100, systemClock);
  const called: string[] = [];
  alarm.set(() => {
    called.push('a');
    alarm.set(() => called.push('a again'));
  });
  vi.advanceTimersByTime(10);
  alarm.set(() => called.push('b'));
  vi.advanceTimersByTime(100);
  expect(called).toEqual(['a', 'b']);
  vi.advanceTimersByTime(100);
  expect(called).toEqual(['a', 'b', 'a again']);
});

test('one timer serves all, and none is left after its time when nothing waits', () => {
  const alarm = createAlarm(100, systemClock);
  const removals = Array.from({ length: 1_000 }, () => alarm.set(() => undefined));
  expect(vi.getTimerCount()).toBe(1);
  for (const remove of removals) remove();
  vi.advanceTimersByTime(100);
  expect(vi.getTimerCount()).toBe(0);
});
