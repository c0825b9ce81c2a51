import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { manifest } from '../support/manifest.ts';
import { useInstalled } from '../support/packed.ts';
import { textOf } from './documents.ts';

const run = promisify(execFile);
const installed = useInstalled();

/** What the README has its reader do, in an empty folder. */
function firstSteps() {
  const found =
    /^```sh\n(?<init>.*?)\nnpm install (?<packages>.*?)\n```\n.*?`node (?<file>.*?)`.*?^```ts\n(?<code>.*?)^```\n+```text\n(?<printed>.*?)^```/ms.exec(
      textOf('README.md'),
    )?.groups;
  const { init = '', packages = '', file = '', code = '', printed = '' } = found ?? {};
  return { init, packages: packages.split(' '), file, code, printed };
}

it('the first program of the README, from the tarball, prints what stands below it, and ends by itself', async () => {
  const { folder, add } = installed();
  const { init, packages, file, code, printed } = firstSteps();
  await run('sh', ['-c', init], { cwd: folder });
  expect(packages).toContain(manifest.name);
  await add(...packages.filter((name) => name !== manifest.name));
  await writeFile(join(folder, file), code);
  const { stdout } = await run(process.execPath, [file], { cwd: folder });
  expect(stdout).toBe(printed);
});

it('every subpath of the tarball loads beside its optional peers', async () => {
  const { folder, add } = installed();
  await add(...Object.keys(manifest.peerDependencies));
  const names = Object.keys(manifest.exports).filter((subpath) => subpath !== './package.json');
  const program = names.map((subpath) => `await import('${manifest.name}${subpath.slice(1)}');`).join('\n');
  await writeFile(join(folder, 'all.mjs'), `${program}\nconsole.log('loaded');`);
  const { stdout } = await run(process.execPath, ['all.mjs'], { cwd: folder });
  expect(stdout).toBe('loaded\n');
});
