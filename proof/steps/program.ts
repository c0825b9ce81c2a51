import { spawn } from 'node:child_process';
import type { Step } from '../step.ts';

/** The last lines of what a program prints are its figures. */
const MOST_LINES = 120;

/** A step that is a program of its own: what it prints is its section, and its exit code says whether all held. */
export function program(name: string, title: string, args: (seed: number) => readonly string[]): Step {
  return {
    name,
    title,
    async run({ seed }) {
      const given = args(seed);
      const { code, printed } = await run(given);
      const lines = printed.trim().split('\n').slice(-MOST_LINES).join('\n');
      return { holds: code === 0, text: `\`npm run ${given.join(' ')}\`\n\n\`\`\`text\n${lines}\n\`\`\`` };
    },
  };
}

function run(args: readonly string[]): Promise<{ readonly code: number | null; readonly printed: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', ['run', '-s', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    const printed: string[] = [];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed.push(text);
      process.stdout.write(text);
    });
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ code, printed: printed.join('') });
    });
  });
}
