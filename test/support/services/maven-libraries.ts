import { fileURLToPath } from 'node:url';
import { cachedFolder } from './cached-folder.ts';
import { run, succeeds } from './run.ts';

/** Whether a server can be run here from libraries that Maven fetches. */
export async function mavenIsInstalled(): Promise<boolean> {
  const tools = await Promise.all([
    succeeds({ file: 'java', args: ['-version'] }),
    succeeds({ file: 'mvn', args: ['-v'] }),
  ]);
  return tools.every(Boolean);
}

/** A folder of the libraries that a pom in this one asks for. Maven fetches them once for every `version`. */
export function mavenLibraries(pom: string, version: string): Promise<string> {
  return mavenFolder('copy', pom, version);
}

/** The same with the files that are in those libraries. */
export function mavenFiles(pom: string, version: string): Promise<string> {
  return mavenFolder('unpack', pom, version);
}

function mavenFolder(verb: 'copy' | 'unpack', pom: string, version: string): Promise<string> {
  const file = fileURLToPath(new URL(pom, import.meta.url));
  return cachedFolder(version, (folder) =>
    run({
      file: 'mvn',
      args: [
        ...['-q', '-B', '-f', file, `dependency:${verb}-dependencies`, `-DoutputDirectory=${folder}`],
        // Where it notes what it has unpacked, in place of a folder beside the pom.
        `-DmarkersDirectory=${folder}/markers`,
      ],
    }),
  );
}
