import { Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { useFakeTimers } from '../support/fake-timers.ts';
import { closedInOrder } from '../../adapters/clients/closed-in-order.ts';

useFakeTimers();

const GATHERED = Buffer.alloc(1_023);
const LARGE = Buffer.alloc(1_024);

/** A socket that has closed, and what it has told. */
function closed(error?: Error, status = 'I'): { socket: Socket; told: unknown[][] } {
  const socket = closedInOrder(new Socket());
  socket.emit('data', Buffer.from(`Z\0\0\0\x05${status}`));
  const told: unknown[][] = [];
  socket.on('error', ({ message }) => told.push(['error', message]));
  socket.on('close', (...given: unknown[]) => told.push(['close', ...given]));
  if (error !== undefined) socket.emit('error', error);
  socket.emit('close', error !== undefined);
  return { socket, told };
}

test('a close is told when nothing has been written for a while', () => {
  const { told } = closed();
  vi.advanceTimersByTime(24);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(told).toEqual([['close', false]]);
});

test('a close is told from inside of the write of what was gathered, once', () => {
  const { socket, told } = closed();
  expect(socket.write(GATHERED)).toBe(true);
  expect(told).toEqual([['close', false]]);
  vi.advanceTimersByTime(100);
  expect(told).toHaveLength(1);
});

test('a write that was not gathered puts it off', () => {
  const { socket, told } = closed();
  vi.advanceTimersByTime(20);
  expect(socket.write(LARGE)).toBe(true);
  vi.advanceTimersByTime(20);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(5);
  expect(told).toEqual([['close', false]]);
});

test.each(['T', 'E'])('a close in a transaction (%s) is an error first, unless there was one', (status) => {
  const { told } = closed(undefined, status);
  expect(told).toEqual([['error', 'the server has closed the connection']]);
  vi.advanceTimersByTime(25);
  expect(told.slice(1)).toEqual([['close', false]]);
  expect(closed(new Error('reset'), status).told).toEqual([['error', 'reset']]);
});

test('an error is told at once, and not with the close again', () => {
  const { told } = closed(new Error('reset'));
  expect(told).toEqual([['error', 'reset']]);
  vi.advanceTimersByTime(25);
  expect(told).toEqual([
    ['error', 'reset'],
    ['close', false],
  ]);
});
