import { spawnSync } from 'node:child_process';

/** Said by a program once all of it has loaded: microseconds of the processor since its process began. */
const REPORT = `
const { user, system } = process.cpuUsage();
process.stdout.write(String(user + system));
`;

/** Milliseconds of the processor from the start of a process to the end of a module, which lies in `file`. */
export function startOnce(file: string): number {
  const { stdout, stderr, status } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${file} did not start: ${stderr}`);
  return Number(stdout) / 1_000;
}

/** The code of a module that says what its start took. */
export function reporting(code: string): string {
  return `${code}\n${REPORT}`;
}
