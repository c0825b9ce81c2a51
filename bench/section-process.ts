import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { SectionName } from './options.ts';
import type { Figures } from './section.ts';

const PROGRAM = fileURLToPath(new URL('run-section.ts', import.meta.url));

/** Runs a section in a process of its own. No figures: a service that it needs cannot be had here. */
export async function runSection(
  name: SectionName,
  postgresUrl: string,
  quick: boolean,
): Promise<Figures | undefined> {
  const child = fork(PROGRAM, [name, postgresUrl, quick ? 'quick' : 'full'], {
    env: { ...process.env, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
  });
  let figures: Figures | undefined;
  child.on('message', (message) => {
    figures = message as Figures;
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`section ${name} ended with code ${code}`);
  return figures;
}
