import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { run, succeeds } from './run.ts';

const CACHE = new URL('../../../node_modules/.cache/handle-once/', import.meta.url);

/** Whether a server can be run here from libraries that Maven fetches. */
export async function mavenIsInstalled(): Promise<boolean> {
  const tools = await Promise.all([
    succeeds({ file: 'java', args: ['-version'] }),
    succeeds({ file: 'mvn', args: ['-v'] }),
  ]);
  return tools.every(Boolean);
}

/** A folder of the libraries that a pom in this one asks for. Maven fetches them once for every `version`. */
export async function mavenLibraries(pom: string, version: string): Promise<string> {
  const libraries = fileURLToPath(new URL(version, CACHE));
  if (existsSync(libraries)) return libraries;

  await mkdir(CACHE, { recursive: true });
  // The folder gets its name when it is complete: a half-filled one is never used, nor shared by two runs.
  const unfinished = `${libraries}.${process.pid}`;
  const file = fileURLToPath(new URL(pom, import.meta.url));
  await run({
    file: 'mvn',
    args: ['-q', '-B', '-f', file, 'dependency:copy-dependencies', `-DoutputDirectory=${unfinished}`],
  });
  await rename(unfinished, libraries).catch(async (error: unknown) => {
    await rm(unfinished, { recursive: true });
    if (!existsSync(libraries)) throw error;
  });
  return libraries;
}
