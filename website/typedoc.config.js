import { URL, fileURLToPath } from 'node:url';
import ts from 'typescript';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The sources of all subpaths of the package, as `tsconfig.json` has them. */
const { paths } = ts.readConfigFile(at('../tsconfig.json'), ts.sys.readFile).config.compilerOptions;

/** @type {Partial<import('typedoc').TypeDocOptions & import('typedoc-plugin-markdown').PluginOptions>} */
export default {
  name: 'API',
  plugin: ['typedoc-plugin-markdown'],
  entryPoints: Object.values(paths)
    .flat()
    .map((path) => at(`../${path}`)),
  tsconfig: at('tsconfig.api.json'),
  out: at('../node_modules/.cache/website/api'),
  navigationJson: at('../node_modules/.cache/website/api/navigation.json'),
  readme: 'none',
  sourceLinkTemplate: 'https://github.com/handle-once/handle-once/blob/main/{path}#L{line}',
  entryFileName: 'index',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  sanitizeComments: true,
  useHTMLEncodedBrackets: true,
  excludeInternal: true,
  excludePrivate: true,
  treatWarningsAsErrors: true,
  treatValidationWarningsAsErrors: true,
  // Parts of types that need no name of their own are not exported: where they are used, they are shown.
  validation: { notExported: false, invalidLink: true, invalidPath: true, rewrittenLink: true },
};
