import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { root } from '../architecture/source-files.ts';
import { textOf } from './documents.ts';

it('the first example of the README runs as it stands, prints what stands below it, and ends by itself', async () => {
  const blocks = /^```ts\n(?<code>.*?)^```\n+```text\n(?<printed>.*?)^```/ms.exec(
    textOf('README.md'),
  )?.groups;
  const program = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-'], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  program.stdin.end(blocks?.['code']);
  expect(await text(program.stdout)).toBe(blocks?.['printed']);
});
