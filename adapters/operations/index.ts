/**
 * For the person on call: keeps the tables small, and says what is in them.
 *
 * @module handle-once/operations
 */
export { doctor, type DoctorOptions } from './doctor/doctor.ts';
export type { Finding } from './doctor/finding.ts';
export type { MaintenanceEvent } from './events.ts';
export { lastWalkAt } from './last-walk-at.ts';
export { maintain, type MaintainOptions, type MaintenanceReport } from './maintain.ts';
export { type StatusRow, readStatus } from './read-status.ts';
export { readStats, type StatsRow } from './read-stats.ts';
export { type Maintenance, startMaintenance, type StartMaintenanceOptions } from './start-maintenance.ts';
export { explainRecord, type Explanation } from './explain-record.ts';
export { forgetRecord } from './forget-record.ts';
export { forgetStep, type ForgetStepOptions } from './forget-step.ts';
export { grantsSql } from './grants-sql.ts';
export { findRecords } from './find-records.ts';
export { listRecords, type ListRecordsOptions, type RecordPage } from './list-records.ts';
export { countRecords, type RecordCount } from './count-records.ts';
export type { RecordFilter } from './filter.ts';
export type { RecordPhase, RecordView, StepView } from './record.ts';
export { retryFailed, type RetryFailedOptions, type RetryReport } from './retry-failed.ts';
export { retryRecord } from './retry-record.ts';
export { showRecord } from './show-record.ts';
export type { RecordOptions, TablesOptions } from './tables.ts';
