#!/usr/bin/env node
import { reportFailure } from './command.ts';
import { giveUpAtDeadEnd, givenUp } from './give-up.ts';
import { createProgram } from './program.ts';

// Standard output is the answer's alone; kafkajs, and a module of the user's own, print there by default.
for (const name of ['log', 'info', 'debug'] as const) console[name] = console.error;

const program = createProgram((exitCode) => process.exit(exitCode));

// The reader of a pipe may have had enough; the work is done all the same.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') reportFailure(error);
  process.exit();
});

giveUpAtDeadEnd();
try {
  await Promise.race([program.parseAsync(), givenUp]);
} catch (error) {
  reportFailure(error);
}
// A client of a module of the user's own may have no end, and keep the process alive.
process.stdout.write('', () => process.exit());
