import { runProgram } from '../../scripts/run-program.ts';
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
      const { code, printed } = await runProgram('npm', ['run', '-s', ...given], { isShown: true });
      const lines = printed.trim().split('\n').slice(-MOST_LINES).join('\n');
      return { holds: code === 0, text: `\`npm run ${given.join(' ')}\`\n\n\`\`\`text\n${lines}\n\`\`\`` };
    },
  };
}
