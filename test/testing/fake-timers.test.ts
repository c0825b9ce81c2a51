import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { programOf } from '../support/program.ts';

const program = fileURLToPath(new URL('support/fake-timers.ts', import.meta.url));

it('a call ends while a test holds back timers, ticks and turns, as jest.useFakeTimers() does', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [programOf(program)], { timeout: 50_000 });
  expect(stdout).toBe('released, charged, charged again from the record\n');
});
