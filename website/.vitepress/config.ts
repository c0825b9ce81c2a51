import { defineConfig } from 'vitepress';
import { tabsMarkdownPlugin } from 'vitepress-plugin-tabs';
import { withSearchWords } from '../search-words.ts';
import { sidebars } from '../sidebar.ts';
import { slugOf } from '../slug.ts';
import { BASE, REPOSITORY } from '../stage/places.ts';

const DESCRIPTION = 'Make queue consumers effectively once: each message is recorded in Postgres';

/**
 * How much a hit of the search counts: the manual comes before the evidence and the API, which repeat its words on many
 * pages. It is sent to the browser as text, so it may use nothing from outside.
 */
function weightOf(id: string): number {
  if (id.includes('/api/')) return 0.1;
  if (id.includes('/docs/evidence/')) return 0.3;
  return id.includes('/docs/') ? 1 : 0.5;
}

export default defineConfig({
  title: 'handle-once',
  description: DESCRIPTION,
  lang: 'en',
  base: BASE,
  srcDir: '../node_modules/.cache/website',
  outDir: '../site',
  cacheDir: '../node_modules/.cache/vitepress',
  cleanUrls: true,
  // Sidebars are in one file, and not in each page.
  metaChunk: true,
  // The index of the search, which is loaded by who searches.
  vite: { build: { chunkSizeWarningLimit: 2_500 } },
  markdown: {
    // Its colours have the contrast that small text needs.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: slugOf },
    attrs: { disable: true },
    config: (markdown) => {
      markdown.use(tabsMarkdownPlugin);
    },
  },
  transformPageData: ({ relativePath }) =>
    relativePath.startsWith('api/') ? { frontmatter: { editLink: false } } : undefined,
  themeConfig: {
    nav: [
      { text: 'Documentation', link: '/docs/', activeMatch: '/docs/(?!evidence)' },
      { text: 'Evidence', link: '/docs/evidence/', activeMatch: '/docs/evidence/' },
      { text: 'API', link: '/api/', activeMatch: '/api/' },
      { text: 'Changes', link: '/CHANGELOG' },
    ],
    sidebar: sidebars(),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        miniSearch: { searchOptions: { boostDocument: weightOf } },
        _render: (source, env, markdown) => withSearchWords(markdown.render(source, env), env.relativePath),
      },
    },
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
    editLink: {
      text: 'Edit this page on GitHub',
      pattern: ({ filePath }) =>
        `https://github.com/handle-once/handle-once/edit/main/${filePath.replace(/(^|\/)index\.md$/, '$1README.md')}`,
    },
  },
});
