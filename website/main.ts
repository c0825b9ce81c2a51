// Builds the site in site/, from the pages of the repository and the comments of the code, and follows its links:
//   npm run site
import { execFileSync } from 'node:child_process';
import { builtPages, deadLinks } from './check/links.ts';
import { stage } from './stage/stage.ts';

function run(program: string, ...args: string[]): void {
  execFileSync('npx', [program, ...args], { stdio: 'inherit' });
}

stage();
run('typedoc', '--options', 'website/typedoc.config.js');
run('vitepress', 'build', 'website');

const pages = builtPages();
const dead = deadLinks(pages);
console.log(`${pages.length} pages, ${dead.length} dead links`);
for (const link of dead) console.error(link);
process.exitCode = dead.length > 0 || pages.length === 0 ? 1 : 0;
