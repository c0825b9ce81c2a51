import { readdirSync } from 'node:fs';
import { URL } from 'node:url';
import ts from 'typescript';

/** The sources of all subpaths of the package, as `tsconfig.json` has them. */
const { paths } = ts.readConfigFile('tsconfig.json', ts.sys.readFile).config.compilerOptions;

const pages = (folder) =>
  readdirSync(new URL(folder, import.meta.url))
    .filter((name) => name.endsWith('.md'))
    .map((name) => folder + name);

/** TypeDoc makes the anchor of a heading from its text, without its code: GitHub takes both. */
function withCodeInAnchors(parser) {
  parser.core.ruler.push('code-in-anchors', ({ tokens }) => {
    const headings = tokens.filter((_, index) => tokens[index - 1]?.type === 'heading_open');
    for (const part of headings.flatMap(({ children }) => children ?? [])) {
      if (part.type === 'code_inline') part.type = 'text';
    }
  });
}

/** @type {Partial<import('typedoc').TypeDocOptions>} */
export default {
  name: 'handle-once',
  entryPoints: Object.values(paths).flat(),
  tsconfig: 'tsconfig.site.json',
  out: 'site',
  readme: 'README.md',
  customCss: 'site.css',
  projectDocuments: [
    ...pages('./docs/'),
    ...pages('./docs/evidence/'),
    ...pages('./docs/evidence/benchmarks/'),
    ...pages('./docs/evidence/decisions/'),
    ...['ARCHITECTURE', 'CHANGELOG', 'CONTRIBUTING', 'SECURITY'].map((name) => `./${name}.md`),
  ],
  markdownItLoader: withCodeInAnchors,
  highlightLanguages: [
    'bash',
    'console',
    'diff',
    'javascript',
    'json',
    'mermaid',
    'sql',
    'tsx',
    'typescript',
    'yaml',
  ],
  excludeInternal: true,
  excludePrivate: true,
  includeVersion: true,
  searchInComments: true,
  searchInDocuments: true,
  treatWarningsAsErrors: true,
  treatValidationWarningsAsErrors: true,
  // Parts of types that need no name of their own are not exported: where they are used, they are shown.
  validation: { notExported: false, invalidLink: true, invalidPath: true, rewrittenLink: true },
};
