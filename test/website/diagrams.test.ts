import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { diagrams } from '../../website/diagrams/files.ts';
import { namesOf, renderDiagram, widthOf, WIDEST_ON_PHONE } from '../../website/diagrams/render.ts';

const MOST_BYTES = 20_000;
describe.each(diagrams())('The diagram $name', ({ source, picture }) => {
  const text = readFileSync(source, 'utf8');
  const svg = readFileSync(picture, 'utf8');

  it('is drawn from its source: npm run diagrams', () => {
    expect(svg).toBe(renderDiagram(text));
  });

  it('has a title, and says in a text what it shows', () => {
    const { title, description } = namesOf(text);
    expect(description.length).toBeGreaterThan(title.length);
    expect(svg).toContain(`<title id="title">${title}</title>`);
    expect(svg).toContain(`<desc id="desc">${description}</desc>`);
  });

  it('is small, needs nothing of another server, and has a colour for each of its parts', () => {
    expect(svg.length).toBeLessThan(MOST_BYTES);
    expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|@import|<script/);
    const used = new Set(svg.match(/(?<=var\()--[\w-]+/g));
    expect([...used].filter((name) => !svg.includes(`${name}:`))).toEqual([]);
  });

  it('can be read on a phone', () => {
    expect(widthOf(svg)).toBeLessThanOrEqual(WIDEST_ON_PHONE);
  });
});

it('has the diagrams that pages show', () => {
  expect(diagrams().map(({ name }) => name)).toEqual(
    expect.arrayContaining(['dispositions', 'overview', 'rebalance', 'states', 'takeover']),
  );
});
