const ACTIONS = [
  { theme: 'brand', text: 'Try it', link: '#try-it' },
  { theme: 'alt', text: 'Documentation', link: '/docs/' },
  { theme: 'alt', text: 'When can my code still run twice', link: '/docs/guarantees' },
];

/** The README as the first page: its title and its first paragraph open it. */
export function asHome(readme: string): string {
  const [, title = '', opening = '', rest = ''] = /^# (.+?)\n+(.+?)\n\n(.*)$/s.exec(readme) ?? [];
  const hero = { name: title, tagline: opening.replaceAll('`', ''), actions: ACTIONS };
  // VitePress has a layout for this, which is no landmark.
  return `---
${JSON.stringify({ layout: 'page', hero })}
---

<script setup>
import { VPHomeContent, VPHomeHero } from 'vitepress/theme';
</script>

<main>
<VPHomeHero />
<VPHomeContent>

${rest}
</VPHomeContent>
</main>
`;
}
