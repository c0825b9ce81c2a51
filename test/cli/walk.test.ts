import { readFile } from 'node:fs/promises';
import { createHandleOnce, TerminalError } from 'handle-once';
import { expect, test } from 'vitest';
import { useDatabase } from '../support/database.ts';
import { expectSoon } from '../support/until.ts';
import { callCommand } from './call-command.ts';

const { sql, url } = useDatabase();

/** The commands of sections of the docs, in the scope that their reader has set. */
async function commandsOf(...headings: string[]): Promise<string[]> {
  const docs = await readFile(new URL('../../docs/runbook.md', import.meta.url), 'utf8');
  const sections = docs.split('\n## ');
  return headings.flatMap((heading) => {
    const section = sections.find((text) => text.startsWith(`${heading}\n`)) ?? '';
    const blocks = [...section.matchAll(/^```sh\n(.*?)^```/gms)];
    return blocks.flatMap(([, lines = '']) => lines.replaceAll('"$SCOPE"', 'billing').trim().split('\n'));
  });
}

/** Messages that run, and one that came before them and whose worker died. */
async function pending(running: number): Promise<void> {
  await sql`
    insert into handle_once.records (scope, key, token, fingerprint, state, owned, attempts, live_until, created_at)
    select 'billing', 'message-' || n, gen_random_uuid(), '', 'pending', true, 1,
      now() + case n when 0 then -1 else 1 end * interval '1 hour', now() + (n - 200) * interval '1 minute'
    from generate_series(0, ${running}::int) n`;
}

test('the walk of the docs finds the oldest message, says why another failed, and gets it back', async () => {
  await pending(101);
  const handleOnce = createHandleOnce({ sql, scope: 'billing' });
  await handleOnce('order-7', 'body', () => {
    throw new TerminalError('card is blocked');
  });
  // Beside the record, and after it.
  await expectSoon(async () => {
    expect(await sql`select from handle_once.failures`).toHaveLength(1);
  });
  const printed: string[] = [];
  const commands = await commandsOf('A queue grows', 'Which messages failed', 'Run one message again');
  for (const line of commands) {
    const [npx, name, ...args] = line.split(' ');
    expect([npx, name]).toEqual(['npx', 'handle-once']);
    printed.push((await callCommand(args, { DATABASE_URL: url })).stdout);
  }
  expect(printed).toEqual([
    expect.stringMatching(/^scope.*\nbilling +message-0 +lapsed /),
    expect.stringMatching(/it failed permanently; .*TerminalError: card is blocked/),
    expect.stringMatching(/Run npx handle-once maintain/),
    expect.stringMatching(/^records.*\n1 +TerminalError +billing /),
    expect.stringMatching(/billing +order-7 +failed/),
    expect.stringMatching(/^retried; /),
  ]);
  const retried = await handleOnce('order-7', 'body', () => 'charged');
  expect(retried).toMatchObject({ state: 'succeeded', result: 'charged' });
});
