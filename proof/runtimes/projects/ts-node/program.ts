import { PGlite } from '@electric-sql/pglite';
import { createHandleOnce, migrate, type Outcome } from 'handle-once';
import { fromPglite } from 'handle-once/clients';

async function main(): Promise<void> {
  const database = new PGlite();
  const sql = fromPglite(database);
  await migrate(sql);
  const handleOnce = createHandleOnce({ sql, scope: 'runtimes' });
  const outcome: Outcome<string> = await handleOnce('order-7', { cents: 995 }, () => 'charged');
  await database.close();
  if (outcome.state === 'succeeded') console.log('ok');
}

void main();
