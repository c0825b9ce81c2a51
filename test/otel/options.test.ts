import { channel } from 'node:diagnostics_channel';
import { type Meter, metrics, trace } from '@opentelemetry/api';
import { type Around, createHandleOnce } from 'handle-once';
import { openTelemetry } from 'handle-once/otel';
import { createMemoryStore } from 'handle-once/testing';
import { describe, expect, it } from 'vitest';
import { issuesOf } from '../support/issues-of.ts';

const start = (options: unknown): void => {
  openTelemetry(options as never).stop();
};

describe('openTelemetry', () => {
  it.each([
    ['nothing', undefined],
    ['an empty object', {}],
    ['undefined members', { tracerProvider: undefined, meterProvider: undefined }],
    ['the global providers', { tracerProvider: trace, meterProvider: metrics }],
  ])('accepts %s', (_, options) => {
    expect(
      issuesOf(() => {
        start(options);
      }),
    ).toEqual([]);
  });

  it('calls a method of its provider', () => {
    class Meters {
      readonly #meter = metrics.getMeter('test');

      getMeter(): Meter {
        return this.#meter;
      }
    }
    start({ meterProvider: new Meters() });
  });

  const TRACER =
    /^must be a tracer provider, which has the method getTracer; leave it out for the global one$/;
  const METER = /^must be a meter provider, which has the method getMeter; leave it out for the global one$/;

  it.each<[field: string, value: unknown, message: RegExp]>([
    ['tracerProvider', null, TRACER],
    ['tracerProvider', 'global', TRACER],
    ['tracerProvider', {}, TRACER],
    ['tracerProvider', { getTracer: true }, TRACER],
    ['tracerProvider', metrics, TRACER],
    ['tracerProvider', trace.getTracer('test'), TRACER],
    ['meterProvider', null, METER],
    ['meterProvider', 7, METER],
    ['meterProvider', [], METER],
    ['meterProvider', trace, METER],
    ['meterProvider', metrics.getMeter('test'), METER],
    ['tracer', trace.getTracer('test'), /is not an option; remove it or correct its spelling/],
    ['meterprovider', metrics, /is not an option/],
  ])('refuses %s: %o', (field, value, message) => {
    const issues = issuesOf(() => {
      start({ [field]: value });
    });
    expect(issues).toEqual([{ field, message: expect.stringMatching(message) as string }]);
  });

  it.each([null, 'global', 7, true, [trace]])('refuses %o in place of options', (options) => {
    const issues = issuesOf(() => {
      start(options);
    });
    expect(issues).toEqual([{ field: '', message: 'the options must be an object' }]);
  });

  it('names every wrong field, and begins nothing', () => {
    let asked = 0;
    const tracerProvider = { getTracer: () => (asked += 1) };
    const fields = issuesOf(() => {
      start({ tracerProvider, meterProvider: {}, exporter: {} });
    }).map(({ field }) => field);
    expect(fields.sort()).toEqual(['exporter', 'meterProvider']);
    expect([asked, channel('handle-once:core').hasSubscribers]).toEqual([0, false]);
  });
});

describe('The option around', () => {
  const issuesWith = (around: unknown) =>
    issuesOf(() =>
      createHandleOnce({ store: createMemoryStore(), scope: 'billing', around: around as Around }),
    );

  it('refuses openTelemetry itself, and says what to pass', () => {
    const message =
      'must be the around that openTelemetry() returns, not openTelemetry itself: const { around } = openTelemetry()';
    expect(issuesWith(openTelemetry)).toEqual([{ field: 'around', message }]);
  });

  it('accepts what openTelemetry() returns as around', () => {
    const { around, stop } = openTelemetry();
    stop();
    expect(issuesWith(around)).toEqual([]);
  });

  it('accepts a hook that names no parameters', () => {
    expect(issuesWith((...given: Parameters<Around>) => given[1]())).toEqual([]);
  });
});
