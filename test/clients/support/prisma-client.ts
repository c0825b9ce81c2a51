import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { afterAll, beforeAll } from 'vitest';
import type { PrismaDatabase, PrismaQueryable } from '../../../adapters/clients/from-prisma.ts';
import { root } from '../../architecture/source-files.ts';
import { run } from '../../support/services/run.ts';
import { temporaryDirectory } from '../../support/services/temporary-directory.ts';

const SCHEMA = `
generator client {
  provider = "prisma-client"
  output   = "client"
}

datasource db {
  provider = "postgresql"
}

model Effect {
  id String @id

  @@map("handle_once_effects")
}`;

/** What the tests use of a transaction of the generated client. */
export interface PrismaTransaction extends PrismaQueryable {
  readonly effect: { create(row: { data: { id: string } }): Promise<unknown> };
}

/** What the tests use of the generated client. */
export interface PrismaClient extends PrismaDatabase<PrismaTransaction> {
  $disconnect(): Promise<void>;
}

interface GeneratedModule {
  readonly PrismaClient: new (options: {
    readonly adapter: PrismaPg;
    readonly transactionOptions: { readonly timeout: number };
  }) => PrismaClient;
}

export interface GeneratedPrisma {
  /** The module that has the client. */
  readonly module: string;
  connect(url: string, timeoutMs?: number): Promise<PrismaClient>;
}

/** A client that Prisma generates before the calling file's first test. */
export function usePrisma(): GeneratedPrisma {
  const directory = temporaryDirectory('handle-once-prisma-');
  const module = join(directory.path, 'client', 'client.ts');
  beforeAll(() => generateIn(directory.path));
  afterAll(() => {
    directory.remove();
  });
  return {
    module,
    async connect(url, timeoutMs = 5_000) {
      const { PrismaClient } = (await import(module)) as GeneratedModule;
      const adapter = new PrismaPg({ connectionString: url });
      return new PrismaClient({ adapter, transactionOptions: { timeout: timeoutMs } });
    },
  };
}

async function generateIn(directory: string): Promise<void> {
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  const schema = join(directory, 'schema.prisma');
  writeFileSync(schema, SCHEMA);
  const prisma = join(root, 'node_modules/prisma/build/index.js');
  // A client is made without the engine for migrations, which Prisma downloads unless it is told of one.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' };
  const args = [prisma, 'generate', '--no-hints', `--schema=${schema}`];
  await run({ file: process.execPath, args, env });
}
