import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { BASE, SITE } from '../stage/places.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

export interface Served {
  readonly address: string;
  close(): void;
}

/** Serves the built site to this machine. */
export async function serveSite(): Promise<Served> {
  const server: Server = createServer(({ url = '' }, response) => {
    const path = join(SITE, decodeURIComponent(new URL(url, 'http://localhost').pathname.slice(BASE.length)));
    const file = [path, `${path}.html`, join(path, 'index.html')].find(
      (name) => extname(name) !== '' && existsSync(name),
    );
    response.writeHead(file === undefined ? 404 : 200, {
      'content-type': TYPES[extname(file ?? '')] ?? 'application/octet-stream',
    });
    response.end(file === undefined ? undefined : readFileSync(file));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}${BASE}`, close: () => server.close() };
}
