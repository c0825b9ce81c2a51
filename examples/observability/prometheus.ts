/**
 * Metrics for Prometheus, which `alerts.yml` and `dashboard.json` beside this file use.
 *
 *     DATABASE_URL=... PORT=9464 npx tsx examples/observability/prometheus.ts
 *     curl 127.0.0.1:9464/metrics
 */
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { createHandleOnce, migrate } from 'handle-once';
import { startMaintenance } from 'handle-once/operations';
import { openTelemetry } from 'handle-once/otel';
import postgres from 'postgres';
import { required } from '../environment.ts';

const sql = postgres(required('DATABASE_URL'), { fetch_types: false });
await migrate(sql);

const exporter = new PrometheusExporter({ host: '127.0.0.1', port: Number(process.env['PORT'] ?? 9464) });
// It also returns `around`: given to `createHandleOnce`, each attempt has a span.
openTelemetry({ meterProvider: new MeterProvider({ readers: [exporter] }) });
const handleOnce = createHandleOnce({ sql, scope: 'billing' });

for (const id of ['order-1', 'order-2', 'order-1']) {
  // Here you would charge the card.
  await handleOnce(id, { id }, () => `charged ${id}`);
}
// Counts what is in the table, beside what it deletes.
const maintenance = startMaintenance({ sql });
console.log('three calls, two messages');

process.once('SIGTERM', () => {
  void Promise.all([maintenance.stop(), exporter.shutdown()]).then(() => sql.end({ timeout: 5 }));
});
