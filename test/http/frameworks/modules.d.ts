/** Of packages that have no types: what the tests use of them. */

declare module 'express4' {
  import express from 'express';
  export default express;
}

declare module 'compression' {
  import type { RequestHandler } from 'express';
  export default function compression(options: { readonly threshold: number }): RequestHandler;
}

declare module 'express-session' {
  import type { RequestHandler } from 'express';
  export default function session(options: {
    readonly secret: string;
    readonly resave: boolean;
    readonly saveUninitialized: boolean;
  }): RequestHandler;
}
