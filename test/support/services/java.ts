import { join } from 'node:path';
import type { Command } from './run.ts';

/** Runs a Java program from a folder of libraries: made to start soon and stay small, not to be fast for long. */
export function java(libraries: string, ...args: readonly string[]): Command {
  return {
    file: 'java',
    args: ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', join(libraries, '*'), ...args],
  };
}
