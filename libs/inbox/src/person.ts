/** What the console, the audit and the alerts use. */
export * from './announce-reviews.js';
export * from './audit-rows.js';
export { readCursor, type Cursor, type Page } from './cursor.js';
export type { DueAlert } from './due-alerts.js';
export * from './end-takeovers.js';
export * from './list-accounts.js';
export * from './list-conversations.js';
export * from './list-reviews.js';
export * from './live-changes.js';
export {
  operatorMessage,
  type LimitsOf,
  type OperatorMessage,
  type SendLimits,
  type Written,
} from './operator-message.js';
export * from './read-ledger.js';
export { readTimeline, type Timeline } from './read-timeline.js';
export * from './release-lease.js';
export { release, type Released, type WindowPolicy } from './release.js';
export * from './resolve-review.js';
export { resumeAccount } from './resume-account.js';
export * from './set-account-policy.js';
export * from './take-over.js';
export type { AuditRules } from './unaccounted.js';
