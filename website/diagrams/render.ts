import { renderMermaidSVG } from 'beautiful-mermaid';

/** How much larger than its own units a diagram is shown where there is room. A phone shrinks it to its width. */
const SCALE = 1.25;

/** In place of the style that the renderer makes: both schemes, and no font of another server. */
const STYLE = `<style>
svg{--bg:#fff;--_text:#1f2328;--_text-sec:#4b535d;--_line:#818b98;--_node-fill:#eef3f9;--_node-stroke:#9fb3c8}
@media(prefers-color-scheme:dark){svg{--bg:#161b22;--_text:#f0f6fc;--_text-sec:#b7c0ca;--_line:#7d8590;--_node-fill:#22303f;--_node-stroke:#4b6a88}}
svg{background:var(--bg);--_text-muted:var(--_text-sec);--_arrow:var(--_text-sec);--_group-fill:var(--bg);--_group-hdr:var(--bg);--_inner-stroke:var(--bg)}
text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif}
</style>`;

/** Text is drawn in 11 and 13 units: up to this width it can be read on a screen of 360 pixels. */
export const WIDEST_ON_PHONE = 450;

export function widthOf(svg: string): number {
  return Number(/viewBox="0 0 ([\d.]+)/.exec(svg)?.[1]);
}

/** What a diagram is called, as its lines `accTitle` and `accDescr` say. */
export interface Names {
  readonly title: string;
  readonly description: string;
}

export function namesOf(source: string): Names {
  const lineOf = (word: string) => new RegExp(`^\\s*${word}: (.+)$`, 'm').exec(source)?.[1];
  const title = lineOf('accTitle') ?? 'Diagram';
  return { title, description: lineOf('accDescr') ?? title };
}

/** A diagram of Mermaid as SVG: the same text for the same source. */
export function renderDiagram(source: string): string {
  const drawn = source.replaceAll(/^\s*acc(?:Title|Descr):.*\n/gm, '');
  const svg = renderMermaidSVG(drawn, { padding: 12, layerSpacing: 28, nodeSpacing: 16 });
  return `${shortened(svg).replace(/^<svg[^>]*>\s*<style>.*?<\/style>/s, head(svg, namesOf(source)))}\n`;
}

function head(svg: string, { title, description }: Names): string {
  const width = widthOf(svg);
  const height = Number(/viewBox="0 0 [\d.]+ ([\d.]+)/.exec(svg)?.[1]);
  const size = `width="${Math.round(width * SCALE)}" height="${Math.round(height * SCALE)}"`;
  const box = `viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${box} ${size} role="img" aria-labelledby="title desc">
<title id="title">${escaped(title)}</title>
<desc id="desc">${escaped(description)}</desc>
${STYLE}`;
}

/** Without what only a script would read, and with coordinates of one decimal. */
function shortened(svg: string): string {
  return svg
    .replaceAll(/ (?:data-[\w-]+|class)="[^"]*"/g, '')
    .replaceAll(/\d+\.\d{2,}/g, (number) => String(Number(Number(number).toFixed(1))));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
