import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cachedFolder } from './cached-folder.ts';
import { run, succeeds } from './run.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** Of libraries below `usr/lib`, by the architecture as Node calls it. */
export const DEBIAN_FOLDERS: Readonly<Record<string, string>> = {
  x64: 'x86_64-linux-gnu',
  arm64: 'aarch64-linux-gnu',
};

/** A folder with one file, or folder, of a Debian package. apt fetches it once, alone; it needs no root. */
export function debianFile(name: string, file: string): Promise<string> {
  return cachedFolder(`debian-${name}`, async (folder) => {
    await mkdir(folder, { recursive: true });
    await download(name, folder);
    await run({
      file: 'sh',
      args: ['-c', 'dpkg-deb --fsys-tarfile *.deb | tar -x "$0" && rm *.deb', `./${file}`],
      cwd: folder,
    });
  });
}

/** By the lists that this machine has, or else by new ones, which are kept apart from them. */
async function download(name: string, folder: string): Promise<void> {
  const args = ['-qq', 'download', name];
  if (await succeeds({ file: 'apt-get', args, cwd: folder })) return;
  const temporary = temporaryDirectory('handle-once-apt-');
  try {
    const own = ['lists', 'cache'].map((part) => join(temporary.path, part));
    for (const path of own) await mkdir(join(path, 'partial'), { recursive: true });
    const places = ['-o', `Dir::State::lists=${own[0]}`, '-o', `Dir::Cache=${own[1]}`];
    await run({ file: 'apt-get', args: [...places, '-qq', 'update'] });
    await run({ file: 'apt-get', args: [...places, ...args], cwd: folder });
  } finally {
    temporary.remove();
  }
}
