import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('the migrations in the code are those in the files', async () => {
  const check = promisify(execFile)(process.execPath, ['--import', 'tsx', 'migrations/embed.ts', '--check'], {
    cwd: root,
  });
  await expect(check).resolves.toMatchObject({ stderr: '' });
});

test('to import the package opens no connection and keeps no process alive', async () => {
  const script = `
    const net = await import('node:net');
    net.Socket.prototype.connect = () => { throw new Error('a connection was opened'); };
    await import('./src/index.ts');
    await import('./testing/index.ts');
    console.log(process.getActiveResourcesInfo().filter((name) => /Timeout|TCP/.test(name)).length);`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '--eval', script],
    { cwd: root },
  );
  expect(stdout.trim()).toBe('0');
});
