import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const CACHE = new URL('../../../node_modules/.cache/handle-once/', import.meta.url);

/** A folder that is filled once for every `version`, and kept. */
export async function cachedFolder(
  version: string,
  fill: (folder: string) => Promise<void>,
): Promise<string> {
  const complete = fileURLToPath(new URL(version, CACHE));
  if (existsSync(complete)) return complete;

  await mkdir(CACHE, { recursive: true });
  // The folder gets its name when it is complete: a half-filled one is never used, nor shared by two runs.
  const unfinished = `${complete}.${process.pid}`;
  await fill(unfinished);
  await rename(unfinished, complete).catch(async (error: unknown) => {
    await rm(unfinished, { recursive: true });
    if (!existsSync(complete)) throw error;
  });
  return complete;
}
