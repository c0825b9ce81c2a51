import { createHandleOnce } from 'handle-once';
import postgres from 'postgres';
import { describe, expect, onTestFinished, test } from 'vitest';
import { useDatabase } from '../../support/database.ts';

const { url } = useDatabase();

describe('After a statement of the application that failed in the middle of its rows', () => {
  function withOneConnection() {
    const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => undefined });
    onTestFinished(() => sql.end({ timeout: 5 }));
    const handleOnce = createHandleOnce({ sql, scope: 'failed-in-rows' });
    const fail = async (): Promise<void> => {
      const rows = sql`select 1 / (4 - n) from generate_series(1, 5) as n`;
      await expect(rows).rejects.toMatchObject({ code: '22012' });
    };
    return { handleOnce, fail };
  }

  test('the tables are found', async () => {
    const { handleOnce, fail } = withOneConnection();
    await fail();
    await handleOnce.checkStore();
  });

  test('messages are handled, and answered from the record', async () => {
    const { handleOnce, fail } = withOneConnection();
    await fail();
    expect(await handleOnce('k', {}, () => 'done')).toMatchObject({ state: 'succeeded', replayed: false });
    await fail();
    expect(await handleOnce('k', {}, () => 'again')).toMatchObject({ result: 'done', replayed: true });
  });
});
