import { DataSource, type EntityManager } from 'typeorm';
import { expect, test } from 'vitest';
import { fromTypeOrm } from '../../adapters/clients/index.ts';
import { useDatabase } from '../support/database.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import { clientContract } from './contract.ts';
import { failuresOf } from '../../testing/contracts/client/failures.ts';
import type { Library } from './library.ts';

async function open(url: string): Promise<Library<EntityManager>> {
  const dataSource = new DataSource({ type: 'postgres', url });
  // It connects at once. One that could not must fail like any database that cannot be reached.
  await dataSource.initialize().catch(() => undefined);
  return {
    client: fromTypeOrm(dataSource),
    insert: (manager, id) => manager.query('insert into handle_once_effects (id) values ($1)', [id]),
    close: async () => {
      if (dataSource.isInitialized) await dataSource.destroy();
    },
  };
}

clientContract('TypeORM', open);

const { url } = useDatabase();

test('a database that goes away can be asked again', async () => {
  const through = new URL(url);
  const proxy = await tcpProxy({ host: through.hostname, port: Number(through.port) });
  through.host = `127.0.0.1:${proxy.port}`;
  const library = await open(through.href);
  await proxy.cut();
  const errors = await failuresOf(library.client, 'handle_once', 'text');
  await library.close();
  for (const error of errors) expect(error).toMatchObject({ code: 'STORE', retriable: true });
});

test('a transaction with one in it that is open ends as a whole', async () => {
  const extra = { max: 1, query_timeout: 250 };
  const dataSource = await new DataSource({ type: 'postgres', url, extra }).initialize();
  const client = fromTypeOrm(dataSource);
  await dataSource.query('create table nested (id text)');
  const insert = (on: EntityManager, id: string) => on.query('insert into nested values ($1)', [id]);
  await client.begin(async (manager) => {
    await insert(manager, 'committed');
    manager.transaction((inner) => inner.query('select pg_sleep(0.05)')).catch(() => undefined);
    await manager.query('select');
  });
  const timedOut = client.begin(async (manager) => {
    await insert(manager, 'rolled back');
    await manager.transaction((inner) => inner.query('select pg_sleep(0.6)'));
  });
  await expect(timedOut).rejects.toThrow(/read timeout/);
  await client.begin((manager) => insert(manager, 'next'));
  expect(await dataSource.query('select id from nested')).toEqual([{ id: 'committed' }, { id: 'next' }]);
  await dataSource.destroy();
});

test('an entity manager in place of a data source is refused with words', async () => {
  const dataSource = await new DataSource({ type: 'postgres', url }).initialize();
  expect(() => fromTypeOrm(dataSource.manager as never)).toThrow(
    /fromTypeOrm: dataSource: must be a DataSource, not an EntityManager/,
  );
  await dataSource.destroy();
});
