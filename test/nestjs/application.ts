import 'reflect-metadata';
import { type DynamicModule, type INestApplicationContext, Module, type Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { onTestFinished } from 'vitest';

@Module({})
class AppModule {}

/** An application of these modules and providers, which has started. It ends with the test. */
export async function startApplication(
  imports: DynamicModule[],
  providers: Provider[],
): Promise<INestApplicationContext> {
  const root = { module: AppModule, imports, providers };
  const app = await NestFactory.createApplicationContext(root, { logger: false, abortOnError: false });
  let isClosed = false;
  const close = app.close.bind(app);
  app.close = async () => {
    if (!isClosed) await close();
    isClosed = true;
  };
  onTestFinished(() => app.close());
  return app;
}
