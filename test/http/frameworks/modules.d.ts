/** Of packages that have no types: what the tests use of them. */

declare module 'express4' {
  import express from 'express';
  export default express;
}

declare module 'compression' {
  import type { RequestHandler } from 'express';
  export default function compression(options: { readonly threshold: number }): RequestHandler;
}

declare module 'koa' {
  import type { IncomingMessage, ServerResponse } from 'node:http';
  export interface Context {
    readonly req: IncomingMessage;
    readonly res: ServerResponse;
    status: number;
    body: unknown;
    set(name: string, value: string): void;
    throw(status: number, message: string): never;
  }
  export default class Koa {
    silent: boolean;
    use(middleware: (context: Context, next: () => Promise<unknown>) => unknown): this;
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  }
}
