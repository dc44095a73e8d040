/** How a status moves a part. Ranks make any order of arrival end equal. */
import type { StatusName } from './inbound.js';
import type { PartState } from './outcome.js';

/** sent < failed < delivered < read: only proof of delivery revives a failed part. */
const RANK: Record<PartState, number> = {
  held: 0,
  pending: 0,
  sending: 0,
  unknown: 0,
  accepted: 0,
  sent: 1,
  failed: 2,
  delivered: 3,
  read: 4,
};

/** The part's state after a status. A status is also the proof that the channel has accepted the part. */
export function stateAfterStatus(state: PartState, status: StatusName): PartState {
  return RANK[status] > RANK[state] ? status : state;
}

/** The tracker of one attempt at a part: what a status can name before we know the channel's id. */
export function trackerOf(partId: string, attempt: number): string {
  return `part:${partId}:${attempt}`;
}

/** Reads a tracker of ours; null for anybody else's. */
export function readTracker(tracker: string | null): { partId: string; attempt: number } | null {
  const match = tracker === null ? null : /^part:(\d{1,18}):(\d{1,6})$/.exec(tracker);
  return match ? { partId: match[1] as string, attempt: Number(match[2]) } : null;
}
