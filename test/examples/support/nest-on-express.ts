import { createServer } from 'node:http';
import { AbstractHttpAdapter } from '@nestjs/core';
import express from 'express';

/** What `@nestjs/platform-express` does where one sees it from a mount: Nest decides when its parsers are added. */
export function nestOnExpress(): AbstractHttpAdapter {
  const app = express();
  const server = createServer(app);
  const methods: Partial<AbstractHttpAdapter> = {
    initHttpServer: () => undefined,
    getHttpServer: () => server,
    listen: (...args: readonly unknown[]) => server.listen(...(args as [number])),
    close: () => new Promise((resolve) => server.close(resolve)),
    registerParserMiddleware: () => app.use(express.json(), express.urlencoded({ extended: true })),
    setErrorHandler: () => undefined,
    setNotFoundHandler: () => undefined,
    createMiddlewareFactory: () => () => undefined,
    getType: () => 'express',
  };
  return Object.assign(Object.create(AbstractHttpAdapter.prototype) as AbstractHttpAdapter, methods, {
    instance: app,
  });
}
