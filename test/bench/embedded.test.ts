import { expect, it } from 'vitest';
import { embedded } from '../../bench/report/embedded.ts';

const page =
  'Before.\n\n<!-- bench one -->\n\nold\n\n<!-- /bench -->\n\n<!-- bench two -->\n\nother\n\n<!-- /bench -->\n';

it('replaces what is in its place, and nothing else', () => {
  const written = embedded(page, 'one', '| new |');
  expect(written).toBe(page.replace('old', '| new |'));
  expect(embedded(written, 'two', 'other')).toBe(written);
});

it('refuses a page without the place', () => {
  expect(() => embedded(page, 'three', 'new')).toThrow('the page has no <!-- bench three -->');
  expect(() => embedded('<!-- bench one -->', 'one', 'new')).toThrow('the page has no <!-- bench one -->');
});
