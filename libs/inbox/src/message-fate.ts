/** What became of a message, in words for the person who looks at the timeline. */

export interface FateFacts {
  arrivedAt: Date;
  batchId: string | null;
  /** Null: still on its way. */
  outcome: string | null;
  reason: string | null;
  outcomeAt: Date | null;
}

export function fateOf({ arrivedAt, batchId, outcome, reason, outcomeAt }: FateFacts): string {
  const waited = `waited ${inSeconds((outcomeAt ?? arrivedAt).getTime() - arrivedAt.getTime())}`;
  const why = (reason ?? '').replaceAll('-', ' ');
  switch (outcome) {
    case null:
      return batchId === null ? 'on its way' : `waits in batch ${batchId}`;
    case 'in_batch':
      return `${waited}, joined batch ${batchId ?? ''}`.trimEnd();
    case 'dropped':
      return `dropped: ${why}`;
    case 'superseded':
      return `${waited}, superseded: ${why}`;
    case 'ignored':
      return reason === 'expired' ? `${waited}, expired` : `ignored: ${why}`;
    case 'review':
      return `for a person: ${why}`;
    case 'human':
      return 'with the person who has the conversation';
    default:
      return reason === null ? outcome : `${outcome}: ${why}`;
  }
}

function inSeconds(ms: number): string {
  if (ms < 1000) return `${Math.max(0, ms)} ms`;
  const seconds = ms / 1000;
  return `${seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds)} s`;
}
