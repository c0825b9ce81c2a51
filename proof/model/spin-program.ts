import { join } from 'node:path';
import { debianFile } from '../../test/support/services/debian-package.ts';
import { succeeds } from '../../test/support/services/run.ts';

const FILE = 'usr/bin/spin';

/** The program that checks models: that of this machine, or else that of Debian's package. */
export async function spinProgram(): Promise<string> {
  if (!(await succeeds({ file: 'cc', args: ['--version'] }))) {
    throw new Error('the models need a C compiler: apt-get install gcc libc6-dev');
  }
  if (await succeeds({ file: 'spin', args: ['-V'] })) return 'spin';
  try {
    return join(await debianFile('spin', FILE), FILE);
  } catch (cause) {
    throw new Error('the models need spin on the path, or apt-get with the package spin', { cause });
  }
}
