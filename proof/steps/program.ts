import { runProgram } from '../../test/support/run-program.ts';
import type { Step } from '../step.ts';

/** A step that is a program of its own: what it prints is its section, and its exit code says whether all held. */
export function program(
  name: string,
  title: string,
  prints: 'tables' | 'text',
  args: (seed: number) => readonly string[],
): Step {
  return {
    name,
    title,
    async run({ seed }) {
      const given = args(seed);
      const { code, printed } = await runProgram('npm', ['run', '-s', ...given], { isShown: true });
      const figures = prints === 'text' ? `\`\`\`text\n${printed.trim()}\n\`\`\`` : printed.trim();
      return { holds: code === 0, text: `\`npm run ${given.join(' ')}\`\n\n${figures}` };
    },
  };
}
