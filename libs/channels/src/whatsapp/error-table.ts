/**
 * What each error code of the Cloud API means for a message that we tried to send. The one place where this stands:
 * what can be retried, what is final, what stops the account. Codes and meanings: Meta, "Error codes"; the classes are
 * our judgement. The HTTP status of an error is not promised, so the code decides.
 */
export type Verdict =
  | { kind: 'retry'; scope: 'part' | 'person' | 'account'; afterMs: number | null }
  | { kind: 'failed' }
  | { kind: 'window-closed' }
  | { kind: 'channel-paused' }
  | { kind: 'unknown' };

const MINUTE = 60_000;

const FAILED: Verdict = { kind: 'failed' };
const PAUSED: Verdict = { kind: 'channel-paused' };
const UNKNOWN: Verdict = { kind: 'unknown' };
const WINDOW_CLOSED: Verdict = { kind: 'window-closed' };
const RETRY_PART: Verdict = { kind: 'retry', scope: 'part', afterMs: null };
/** The pair limit: one person only, and 4^n s is the caller's count (Meta, throughput). */
const RETRY_PERSON: Verdict = { kind: 'retry', scope: 'person', afterMs: null };
const RETRY_ACCOUNT: Verdict = { kind: 'retry', scope: 'account', afterMs: null };
const RETRY_IN_A_MINUTE: Verdict = { kind: 'retry', scope: 'account', afterMs: MINUTE };
const RETRY_IN_AN_HOUR: Verdict = { kind: 'retry', scope: 'account', afterMs: 60 * MINUTE };

const ROWS: readonly [codes: readonly number[], verdict: Verdict][] = [
  [[0, 102, 190], PAUSED], // token bad or expired
  [[3, 10, 131005], PAUSED], // permission or capability missing
  [[368, 131031], PAUSED], // account locked, policy block
  [[131037], PAUSED], // display name not approved
  [[131042, 131044, 134011], PAUSED], // payment, eligibility
  [[131045, 133000, 133005, 133006, 133008, 133009, 133010, 133015], PAUSED], // registration, certificate, PIN
  [[131048], PAUSED], // spam restriction: quick retries make it worse
  [[1, 2, 131000], UNKNOWN], // "service error": it is known to come also after the message went out
  [[131016, 133004], RETRY_PART], // service unavailable
  [[131056], RETRY_PERSON], // pair limit
  [[4, 80007, 130429], RETRY_ACCOUNT], // call limits of app and business account, throughput of the number
  [[131057], RETRY_IN_A_MINUTE], // maintenance, throughput upgrade
  [[131064, 133016], RETRY_IN_AN_HOUR], // limits that lift with a later period
  [[131047], WINDOW_CLOSED], // more than 24 h since the person wrote
  [[33, 100, 131008, 131009, 135000], FAILED], // bad object or parameter
  [[131021], FAILED], // to ourselves
  [[131026], FAILED], // undeliverable: no WhatsApp, old client, blocked
  [[131030], FAILED], // not in the allow list of a test number
  [[130472, 130497, 131049, 131050], FAILED], // experiment, barred country, ecosystem health, opted out
  [[131051, 131052, 131053], FAILED], // type or media refused
  [[131060, 131062, 131063], FAILED], // content unavailable, business-scoped id not allowed, marketing off
  [[132000, 132001, 132005, 132007, 132008, 132012, 132015, 132016, 132018, 132068], FAILED], // templates, flows
  [[132069], RETRY_PART], // flow throttled
  [[137000], FAILED], // identity hash mismatch
  [[131020, 131041, 131059], FAILED], // groups
  [[131208], RETRY_PART], // groups, busy
];

const BY_CODE = new Map(ROWS.flatMap(([codes, verdict]) => codes.map((code) => [code, verdict] as const)));

/** The verdict on an error code, null for a code that the table does not know. */
export function verdictOn(code: number): Verdict | null {
  return BY_CODE.get(code) ?? verdictOnRange(code);
}

/**
 * The verdict on an answer that names no code we know. Only a plain 4xx proves that the message was refused: a gateway
 * answers 408 and 5xx also after it passed the request on.
 */
export function verdictOnStatus(status: number): Verdict {
  if (status === 429) return RETRY_ACCOUNT;
  if (status === 401 || status === 403) return PAUSED;
  // A redirect means that the API address is wrong. It was not followed, or the message might go out twice.
  if (status >= 300 && status < 400) return PAUSED;
  if (status >= 400 && status < 500 && status !== 408) return FAILED;
  return UNKNOWN;
}

function verdictOnRange(code: number): Verdict | null {
  if (code >= 200 && code <= 299) return PAUSED; // permissions
  if (code >= 131200 && code <= 131299) return FAILED; // groups
  return null;
}
