/**
 * OpenTelemetry: spans of attempts, and metrics.
 *
 * @module handle-once/otel
 */
export { openTelemetry, type OpenTelemetry, type OpenTelemetryOptions } from './open-telemetry.ts';
