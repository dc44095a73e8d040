/** What the specs of the overlap strategies say again and again. */
import type { ClaimedTurn } from '../src/claim-turns.js';
import type { Routed } from '../src/route-events.js';
import type { InboxKit } from './inbox-kit.js';
import { message, type From } from './new-events.js';

export const ann: From = { phone: '15550101001' };
export const idsOf = (turn: ClaimedTurn): string[] => turn.messages.map((one) => one.externalId);
/** Events by their names, with the message's id. */
export const events = (of: { overlaps: { event: string | null; messageId: string }[] }): string[] =>
  of.overlaps.map(({ event, messageId }) => `${event ?? 'dispatched'} ${messageId}`);

export function overlapWords(kit: () => InboxKit) {
  const sayAs = (from: From, ...ids: string[]): Promise<Routed> =>
    kit().arrive(...ids.map((externalId) => message(externalId, from, { externalId })));
  return {
    sayAs,
    /** Messages named and worded alike, routed together. */
    say: (...ids: string[]): Promise<Routed> => sayAs(ann, ...ids),
    choose: (policy: object): unknown => Object.assign(kit(), { policy: { ...kit().policy, ...policy } }),
    claimed: async (): Promise<string[][]> => (await kit().claim()).turns.map(idsOf),
    silence: (turn: ClaimedTurn) => kit().finish(turn, { kind: 'silent' }),
  };
}
