/**
 * OpenTelemetry: spans of attempts, and metrics.
 *
 * @module
 */
export { openTelemetry, type OpenTelemetry, type OpenTelemetryOptions } from './open-telemetry.ts';
