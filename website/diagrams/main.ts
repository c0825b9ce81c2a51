// Draws the diagrams of the documentation, docs/images/*.mmd as *.svg:
//   npm run diagrams
import { readFileSync, writeFileSync } from 'node:fs';
import { diagrams } from './files.ts';
import { renderDiagram } from './render.ts';

for (const { source, picture } of diagrams()) {
  const svg = renderDiagram(readFileSync(source, 'utf8'));
  writeFileSync(picture, svg);
  console.log(`${picture}: ${svg.length} bytes`);
}
