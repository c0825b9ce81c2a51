import { channel } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { createHandleOnce } from 'handle-once';
import { onceEach } from 'handle-once/adapter';
import type { MaintenanceEvent } from 'handle-once/operations';
import { openTelemetry } from 'handle-once/otel';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, test } from 'vitest';
import { filesIn } from '../architecture/source-files.ts';
import { ALERT_CASES, type AlertCase } from './support/alert-cases.ts';
import { jsonFile, usePromtool } from './support/promtool.ts';

const promtool = usePromtool();

const ALERTS = fileURLToPath(new URL('../../examples/observability/alerts.yml', import.meta.url));
const DASHBOARD = new URL('../../examples/observability/dashboard.json', import.meta.url);

const alerts = readFileSync(ALERTS, 'utf8');
const names = Array.from(alerts.matchAll(/^ +- alert: (\w+)$/gm), ([, name = '']) => name);

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as Dashboard;
const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

/** What a process exports that has done something of everything. */
async function exported(): Promise<string> {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const { around, stop } = openTelemetry({ meterProvider: new MeterProvider({ readers: [exporter] }) });
  const store = createMemoryStore();
  const handleOnce = createHandleOnce({ store, scope: 'billing', around, onEvent: () => undefined });
  const broker = { acknowledge: () => undefined, onFailed: 'keep' } as const;
  const handle = onceEach({ ...broker, handleOnce, key: (id: string) => id, body: (id) => id }, () => 1);
  await handle('7');
  const walked: MaintenanceEvent = { type: 'maintained', purged: 1, records: 1, abandoned: 0 };
  channel('handle-once:operations').publish(walked);
  const { resourceMetrics } = await exporter.collect();
  stop();
  return new PrometheusSerializer().serialize(resourceMetrics);
}

function metricsIn(text: string): Set<string> {
  const withoutLabels = text.replaceAll(/\{[^}]*\}/g, '').replaceAll(/by \([^)]*\)/g, '');
  return new Set(withoutLabels.match(/\bhandle_once_\w+/g));
}

describe('The alerts and the dashboard', () => {
  test('have expressions that Prometheus takes', async () => {
    expect(await promtool('check', 'rules', ALERTS)).toContain(`SUCCESS: ${names.length} rules found`);
    expect(expressions.length).toBeGreaterThan(10);
    const rules = expressions.map((expr, index) => ({
      record: `dashboard:${index}`,
      expr: expr.replaceAll('$scope', '.*'),
    }));
    await promtool('check', 'rules', await jsonFile({ groups: [{ name: 'dashboard', rules }] }));
  });

  test('would be told of an expression that it does not take', async () => {
    const rules = [{ record: 'wrong', expr: 'sum by (scope (x)' }];
    const file = await jsonFile({ groups: [{ name: 'wrong', rules }] });
    await expect(promtool('check', 'rules', file)).rejects.toThrow('could not parse expression');
  });

  test('name metrics that the exporter has', async () => {
    const found = metricsIn(await exported());
    for (const text of [alerts, ...expressions]) {
      const used = [...metricsIn(text)];
      expect(used.length).toBeGreaterThan(0);
      expect(used.filter((name) => !found.has(name))).toEqual([]);
    }
  });

  test('name events, reasons and verbs that there are', () => {
    const files = ['src', 'adapters'].flatMap(filesIn).filter((file) => /events?\.ts$/.test(file));
    const words = files.map((file) => readFileSync(file, 'utf8')).join('\n');
    const labels = /handle_once_(?:event|reason|warning|verb)=~?"([^"]+)"/g;
    const used = [alerts, ...expressions].flatMap((text) =>
      Array.from(text.matchAll(labels), ([, values = '']) => values.split('|')).flat(),
    );
    expect(used.length).toBeGreaterThan(20);
    expect(used.filter((value) => !words.includes(`'${value}'`))).toEqual([]);
  });
});

describe('Each alert', () => {
  test.each(names)('has a case in which it fires and one in which it does not: %s', (name) => {
    const cases = ALERT_CASES.filter(({ alert }) => alert === name);
    expect(new Set(cases.map(({ fires }) => fires))).toEqual(new Set([true, false]));
  });

  test('fires where it has to, and only there', async () => {
    const cases = { rule_files: [ALERTS], evaluation_interval: '1m', tests: ALERT_CASES.map(unitTest) };
    expect(await promtool('test', 'rules', await jsonFile(cases))).toContain('SUCCESS');
  });

  test('would be told of an alert that does not fire', async () => {
    const [first] = ALERT_CASES.filter(({ fires }) => !fires);
    const wrong = first === undefined ? [] : [unitTest({ ...first, fires: true })];
    const file = await jsonFile({ rule_files: [ALERTS], evaluation_interval: '1m', tests: wrong });
    await expect(promtool('test', 'rules', file)).rejects.toThrow('FAILED');
  });
});

/** As promtool has it: the series `ALERTS` tells which alerts fire. */
function unitTest({ alert, fires, minute, series }: AlertCase): object {
  const asked = {
    expr: `count(ALERTS{alertname="${alert}",alertstate="firing"})`,
    eval_time: `${minute}m`,
    exp_samples: fires ? [{ labels: '{}', value: 1 }] : [],
  };
  const input = series.map(([name, values]) => ({ series: name, values }));
  return { interval: '1m', input_series: input, promql_expr_test: [asked] };
}
