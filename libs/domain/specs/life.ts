/**
 * For specs only: people, batchers and responders on a virtual clock, held together by nothing but the domain's
 * decisions. Whatever goes wrong here goes wrong because a decision said so.
 */
import { byTimeSaid } from '../src/arrival.js';
import { decideClaim } from '../src/claim.js';
import { placeEvent } from '../src/place-event.js';
import type { Policy } from '../src/policy.js';
import { decideFailure } from '../src/retry.js';
import type { Attempt, Batch, Chat, End, Life, Said, Script, Turn, Watch } from './life-words.js';

export function live(script: Script, watch: Watch = () => undefined): Life {
  const life = new Lives(script, watch);
  life.run();
  return { turns: life.turns, ends: life.ends, stranded: life.stranded() };
}

class Lives {
  readonly turns: Turn[] = [];
  readonly ends: End[] = [];
  private readonly chats = new Map<number, Chat>();
  private readonly working = new Set<Turn>();
  private readonly unrouted: Said[];
  private readonly policy: Policy;
  private batches = 0;

  constructor(
    private readonly script: Script,
    private readonly watch: Watch,
  ) {
    this.policy = script.policy;
    this.unrouted = [...script.arrivals].sort((a, b) => a.routedAt - b.routedAt);
  }

  run(): void {
    const { tickMs, arrivals } = this.script;
    const last = Math.max(0, ...arrivals.map((said) => said.routedAt));
    const longestTurn = Math.max(...this.script.attempts.map((attempt) => attempt.ms + attempt.settleMs));
    const longestPause = this.policy.retryBaseMs * 2 ** this.policy.maxAttempts;
    const perAttempt = longestTurn + longestPause + this.script.leaseMs + tickMs;
    // Generous: every message in a turn of its own, one after the other. Beyond it a message is stranded.
    const horizon = last + this.policy.maxWaitMs + (arrivals.length + 1) * this.policy.maxAttempts * perAttempt;
    const wakeUps = new Set(this.script.wakeUps);
    let now = 0;
    while (now <= horizon) {
      this.routeUntil(now);
      this.endTurnsUntil(now);
      if (now % tickMs === 0 || wakeUps.has(now)) this.claimReady(now);
      if (now % tickMs === 0) this.watch(this.view(now));
      if (this.unrouted.length === 0 && this.openBatches().length === 0) return;
      now = this.nextInstant(now);
    }
  }

  /** Positions of the messages that never came to an end. */
  stranded(): number[] {
    return [...this.unrouted, ...this.openBatches().flatMap((batch) => batch.messages)].map((said) => said.position);
  }

  private nextInstant(now: number): number {
    const { tickMs, wakeUps } = this.script;
    const instants = [
      ...this.unrouted.slice(0, 1).map((said) => said.routedAt),
      ...[...this.working].map((turn) => turn.stopsAt),
      ...wakeUps,
    ];
    return Math.min((Math.floor(now / tickMs) + 1) * tickMs, ...instants.filter((at) => at > now));
  }

  private routeUntil(now: number): void {
    for (;;) {
      const said = this.unrouted[0];
      if (!said || said.routedAt > now) return;
      this.unrouted.shift();
      const chat = this.chatOf(said.person);
      const facts = { kind: 'message', takenOver: false, firstContact: false } as const;
      const collecting = chat.collecting?.times ?? null;
      const placement = placeEvent({ ...facts, arrival: said, collecting }, this.policy, now);
      if (placement.kind === 'review') this.end([said], 'late', null, now);
      if (placement.kind !== 'batch') continue;
      chat.collecting ??= this.openBatch(said.person, placement.times);
      chat.collecting.times = placement.times;
      chat.collecting.messages.push(said);
    }
  }

  private claimReady(now: number): void {
    const open = this.openBatches().sort((a, b) => readyAt(a) - readyAt(b));
    for (const batch of open) {
      if (this.freeSlots() === 0) return;
      const chat = this.chatOf(batch.person);
      const facts = {
        state: batch.state,
        readyAt: readyAt(batch),
        attempts: batch.attempts,
        takenOver: false,
        otherTurn: chat.sealed !== null && chat.sealed !== batch,
        earlierUnsettled: chat.settledAt > now,
        messages: batch.messages,
      };
      const decision = decideClaim(facts, this.policy, now);
      if (decision.kind === 'claim') this.startTurn(chat, batch, decision.late, now);
      if (decision.kind === 'late') this.close(chat, batch, 'late', now);
      if (decision.kind === 'exhausted') this.close(chat, batch, 'turn-failed', now);
    }
  }

  private startTurn(chat: Chat, batch: Batch, late: number[], now: number): void {
    const tooOld = batch.messages.filter((said) => late.includes(said.position));
    this.end(tooOld, 'late', null, now);
    batch.messages = batch.messages.filter((said) => !tooOld.includes(said)).sort(byTimeSaid);
    if (chat.collecting === batch) chat.collecting = null;
    chat.sealed = batch;
    batch.state = 'running';
    batch.attempts += 1;
    const attempt = this.script.attempts[this.turns.length % this.script.attempts.length] as Attempt;
    const stopsAt = now + attempt.ms;
    // Renewed for as long as the holder lives.
    batch.leaseUntil = stopsAt + this.script.leaseMs;
    const turn: Turn = {
      ...{
        person: batch.person,
        batch: batch.id,
        attempt: batch.attempts,
        messages: [...batch.messages],
        late: tooOld,
      },
      ...{ claimedAt: now, stopsAt, end: attempt.end, settledAt: stopsAt + attempt.settleMs },
      validUntil: attempt.end === 'dies' ? batch.leaseUntil : stopsAt,
    };
    this.turns.push(turn);
    this.working.add(turn);
  }

  private endTurnsUntil(now: number): void {
    for (const turn of [...this.working].filter((one) => one.stopsAt <= now)) {
      this.working.delete(turn);
      const chat = this.chatOf(turn.person);
      // Another holder has the batch by now: a late finisher changes nothing.
      if (chat.sealed?.id !== turn.batch || chat.sealed.attempts !== turn.attempt) continue;
      if (turn.end === 'replies') {
        chat.settledAt = turn.settledAt;
        this.close(chat, chat.sealed, 'replied', now);
      } else if (turn.end === 'fails') {
        const decision = decideFailure(turn.attempt, this.policy, now);
        if (decision.kind === 'review') this.close(chat, chat.sealed, 'turn-failed', now);
        else Object.assign(chat.sealed, { state: 'retry_wait', nextAttemptAt: decision.at });
      }
    }
  }

  private close(chat: Chat, batch: Batch, how: End['how'], now: number): void {
    this.end(batch.messages, how, batch.id, now);
    if (chat.collecting === batch) chat.collecting = null;
    if (chat.sealed !== batch) return;
    chat.sealed = null;
    chat.freeAt = now;
  }

  private end(messages: Said[], how: End['how'], batch: number | null, at: number): void {
    this.ends.push(...messages.map((said) => ({ said, how, batch, at })));
  }

  private openBatch(person: number, times: Batch['times']): Batch {
    this.batches += 1;
    const fresh = { state: 'collecting', attempts: 0, messages: [], nextAttemptAt: 0, leaseUntil: 0 } as const;
    return { ...fresh, id: this.batches, person, times, messages: [] };
  }

  private chatOf(person: number): Chat {
    const chat = this.chats.get(person) ?? { collecting: null, sealed: null, settledAt: 0, freeAt: 0 };
    this.chats.set(person, chat);
    return chat;
  }

  private openBatches(): Batch[] {
    return [...this.chats.values()].flatMap(({ collecting, sealed }) =>
      [collecting, sealed].filter((batch) => batch !== null),
    );
  }

  private freeSlots(): number {
    return this.script.slots - this.working.size;
  }

  private view(now: number): Parameters<Watch>[0] {
    return { now, freeSlots: this.freeSlots(), chats: [...this.chats.values()] };
  }
}

function readyAt(batch: Batch): number {
  return { collecting: batch.times.dueAt, retry_wait: batch.nextAttemptAt, running: batch.leaseUntil }[batch.state];
}
