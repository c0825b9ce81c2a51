import { chown, cp } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, succeeds } from './run.ts';

const NOBODY = 65_534;
const MAPPED = ['-U', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`];

/** PostgreSQL refuses to run as root. This makes commands of the programs in a folder that it does accept. */
export async function unprivileged(
  programs: string,
  temporary: string,
): Promise<(program: string, args: readonly string[]) => Command> {
  if (process.getuid?.() !== 0) return (program, args) => ({ file: join(programs, program), args });

  if (await succeeds({ file: 'unshare', args: [...MAPPED, 'true'] })) {
    return (program, args) => ({ file: 'unshare', args: [...MAPPED, join(programs, program), ...args] });
  }

  // Another user may not be able to enter the checkout: it gets its own copy.
  const copy = join(temporary, 'programs');
  await cp(programs, copy, { recursive: true, verbatimSymlinks: true });
  await chown(temporary, NOBODY, NOBODY);
  return (program, args) => ({ file: join(copy, program), args, uid: NOBODY, gid: NOBODY });
}
