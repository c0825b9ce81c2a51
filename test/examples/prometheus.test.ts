import { expect, it } from 'vitest';
import { useEmptyDatabase } from '../support/database.ts';
import { freePort } from '../support/services/free-port.ts';
import { startExample } from './support/example.ts';

const { url } = useEmptyDatabase();

it('exports what it counts, and ends at a signal', async () => {
  const port = await freePort();
  const example = startExample('observability/prometheus.ts', { DATABASE_URL: url, PORT: String(port) });
  await example.prints('three calls, two messages');
  const scrape = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  await expect.poll(scrape).toMatch(/^handle_once_records\{[^}]*\} 2$/m);
  const metrics = await scrape();
  for (const [event, count] of Object.entries({ claimed: 2, succeeded: 2, replayed: 1 })) {
    expect(metrics).toMatch(
      new RegExp(
        `^handle_once_events_total\\{.*handle_once_event="${event}",handle_once_scope="billing".*\\} ${count}$`,
        'm',
      ),
    );
  }
  expect(metrics).toMatch(/^handle_once_handler_duration_count\{(?!.*handle_once_failed).*\} 2$/m);
  example.signal('SIGTERM');
  expect(await example.exitCode(), example.output()).toBe(0);
});
