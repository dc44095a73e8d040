/**
 * For specs only: conversations under any strategy on a virtual clock, held together by nothing but the domain's
 * decisions. Claims come at once and slots of responders are plenty, so that what is seen is the strategy's doing.
 */
import { byTimeSaid } from '../src/arrival.js';
import { decideClaim } from '../src/claim.js';
import { expiredOf, type TurnUnderWay } from '../src/decide-overlap.js';
import { lockOf, overlapOf } from '../src/overlap-policy.js';
import { placeEvent, type Placement } from '../src/place-event.js';
import { decideFailure } from '../src/retry.js';
import type { Batch, Call, End, Lived, Said, Script } from './overlap-words.js';

export function liveOverlaps(script: Script): Lived {
  const world = new OverlapWorld(script);
  world.run();
  const stranded = world.openBatches().flatMap((batch) => batch.messages.map((said) => said.id));
  return { calls: world.calls, ends: world.ends, duplicates: world.duplicates, stranded, mostWaiting: world.most };
}

class OverlapWorld {
  readonly calls: Call[] = [];
  readonly ends: End[] = [];
  duplicates = 0;
  most = 0;
  private readonly batches: Batch[] = [];
  private readonly working = new Map<Call, { batch: Batch; attempt: number; effectAt: number }>();
  private readonly seen = new Set<string>();

  constructor(private readonly script: Script) {}

  run(): void {
    const coming = [...this.script.arrivals];
    for (let now = 0, steps = 0; steps < 20_000; steps++) {
      this.startEffects(now);
      this.endTurns(now);
      while (coming[0] && coming[0].arrivedAt <= now) this.arrive(coming.shift() as Said, now);
      if (now % this.script.tickMs === 0) while (this.claim(now));
      if (coming.length === 0 && this.openBatches().length === 0) return;
      now = this.nextInstant(now, coming[0]);
      if (now === Infinity) return;
    }
  }

  openBatches(): Batch[] {
    return this.batches.filter((batch) => batch.state !== 'ended');
  }

  private nextInstant(now: number, next: Said | undefined): number {
    const { tickMs } = this.script;
    const toTick = (at: number): number => Math.ceil(Math.max(at, now + 1) / tickMs) * tickMs;
    // At tick 1 an overdue batch waits for a turn to end, which is an instant of its own.
    const waiting = this.openBatches().filter((batch) => tickMs > 1 || readyAt(batch) > now);
    const ready = waiting.map((batch) => toTick(readyAt(batch)));
    const turns = [...this.working].flatMap(([call, { effectAt }]) => [call.until, effectAt]);
    return Math.min(next?.arrivedAt ?? Infinity, ...ready, ...turns.filter((at) => at > now));
  }

  private arrive(said: Said, now: number): void {
    if (this.seen.has(said.id)) {
      this.duplicates += 1;
      return;
    }
    this.seen.add(said.id);
    const lock = this.lockOf(said);
    const under = this.openBatches().filter((batch) => batch.chat === said.chat && batch.lock === lock);
    const turns = under.filter((batch) => batch.state !== 'collecting');
    const turn = turns.find((batch) => batch.thread === said.thread) ?? turns[0] ?? null;
    const collecting = under.find((batch) => batch.state === 'collecting' && batch.thread === said.thread) ?? null;
    const placement = placeEvent<Said>(
      {
        ...{ kind: 'message', arrival: said, takenOver: false, firstContact: false },
        collecting: collecting?.times ?? null,
        overlap: {
          message: said,
          collecting: collecting && { ...collecting.times, messages: collecting.messages },
          waiting: under.some((batch) => batch.state === 'collecting'),
          turn: turn && {
            ...(turn as Batch & TurnUnderWay),
            firstAt: turn.times.firstAt,
            sameThread: turn.thread === said.thread,
          },
        },
      },
      this.script.policy,
      now,
    );
    this.place(said, placement, { lock, collecting, turn }, now);
  }

  private place(
    said: Said,
    placement: Placement<Said>,
    { lock, collecting, turn }: { lock: string; collecting: Batch | null; turn: Batch | null },
    now: number,
  ): void {
    if (placement.kind === 'dropped') return this.end([said], `dropped ${placement.reason}`, now);
    if (placement.kind === 'dispatch') {
      this.open(said, lock, 'queued', placement.times, placement.slots).messages.push(said);
    } else if (placement.kind === 'batch') {
      const batch = collecting ?? this.open(said, lock, 'collecting', placement.times, 1);
      if (placement.turn === 'interrupt') this.takeBack(turn as Batch, batch, now);
      if (placement.turn === 'supersede') this.close(turn as Batch, 'superseded', now);
      batch.times = placement.times;
      batch.messages.push(said);
      for (const { message, outcome, reason } of placement.leaving ?? []) {
        batch.messages.splice(batch.messages.indexOf(message), 1);
        this.end([message], outcome === 'dropped' ? `dropped ${reason as 'queue-full'}` : 'superseded', now);
      }
      this.most = Math.max(this.most, batch.messages.length);
    } else throw new Error(`a message was placed as ${placement.kind}`);
  }

  private takeBack(turn: Batch, into: Batch, now: number): void {
    into.messages.push(...turn.messages);
    into.restarts = turn.restarts + 1;
    turn.state = 'ended';
    for (const [call, { batch }] of this.working) {
      if (batch === turn) Object.assign(call, { until: now, end: 'interrupted' });
    }
  }

  /** Whether anything changed: what was closed may have freed another. */
  private claim(now: number): boolean {
    let changed = false;
    const open = this.openBatches().sort((a, b) => readyAt(a) - readyAt(b) || a.number - b.number);
    for (const batch of open) {
      const under = open.filter((one) => one !== batch && one.chat === batch.chat && one.lock === batch.lock);
      const busy = under.filter((one) => one.state === 'running' || one.state === 'retry_wait').length;
      const ahead = under.filter((one) => one.state === 'queued' && one.number < batch.number).length;
      const own = batch.state === 'running' || batch.state === 'retry_wait';
      if (batch.state === 'ended' || (ahead > 0 && batch.state === 'collecting')) continue;
      const expired = batch.state === 'collecting' ? expiredOf(batch.messages, overlapOf(this.script.policy), now) : [];
      const messages = batch.messages.filter((said) => !expired.includes(said));
      const facts = { readyAt: readyAt(batch), takenOver: false, earlierUnsettled: false, attempts: batch.attempts };
      // A slot that comes free during this look belongs to those who were refused it a moment ago.
      const otherTurn = !own && busy + ahead >= batch.slots;
      const decision = decideClaim({ ...facts, state: batch.state, otherTurn, messages }, this.script.policy, now);
      if (decision.kind === 'refuse') continue;
      changed = true;
      this.end(expired, 'expired', now);
      batch.messages = messages.sort(byTimeSaid);
      if (decision.kind === 'claim') this.startTurn(batch, now);
      else this.close(batch, 'review', now);
    }
    return changed;
  }

  private startTurn(batch: Batch, now: number): void {
    const handling = this.script.handling(batch);
    const stopsAt = now + handling.ms;
    const until = handling.end === 'dies' ? stopsAt + this.script.leaseMs : stopsAt;
    batch.attempts += 1;
    Object.assign(batch, { state: 'running', leaseUntil: stopsAt + this.script.leaseMs });
    const { chat, thread, lock, restarts, attempts: attempt, number, messages } = batch;
    const call = { at: now, batch: number, chat, thread, lock, attempt, restarts, messages, until, end: handling.end };
    this.calls.push(call);
    const effectAt = handling.effectMs === null ? Infinity : now + handling.effectMs;
    this.working.set(call, { batch, attempt, effectAt });
  }

  private startEffects(now: number): void {
    for (const [call, { batch, attempt, effectAt }] of this.working) {
      const held = batch.state === 'running' && batch.attempts === attempt;
      if (held && effectAt <= now && effectAt < call.until) batch.irreversible = true;
    }
  }

  private endTurns(now: number): void {
    for (const [call, { batch, attempt }] of [...this.working]) {
      if (call.until > now) continue;
      this.working.delete(call);
      if (batch.state !== 'running' || batch.attempts !== attempt || call.end === 'dies') continue;
      if (call.end === 'replies') this.close(batch, 'answered', now);
      if (call.end !== 'fails') continue;
      const decision = decideFailure(attempt, this.script.policy, now);
      if (decision.kind === 'review') this.close(batch, 'review', now);
      else Object.assign(batch, { state: 'retry_wait', nextAttemptAt: decision.at });
    }
  }

  private close(batch: Batch, how: End['how'], now: number): void {
    this.end(batch.messages, how, now);
    batch.state = 'ended';
  }

  private end(messages: Said[], how: End['how'], at: number): void {
    this.ends.push(...messages.map((said) => ({ said, how, at })));
  }

  private open(said: Said, lock: string, state: Batch['state'], times: Batch['times'], slots: number): Batch {
    const { chat, thread } = said;
    const none = { attempts: 0, restarts: 0, irreversible: false, nextAttemptAt: 0, leaseUntil: 0 };
    const batch = { number: this.batches.length, chat, thread, lock, state, slots, times, messages: [], ...none };
    this.batches.push(batch);
    return batch;
  }

  private lockOf({ chat, thread }: Said): string {
    const account = { channel: 'whatsapp', externalId: '1' } as const;
    return lockOf(this.script.policy.lockScope, { account, threadId: thread, channelId: chat, isDM: true });
  }
}

function readyAt({ state, times, nextAttemptAt, leaseUntil }: Batch): number {
  if (state === 'retry_wait') return nextAttemptAt;
  return state === 'running' ? leaseUntil : times.dueAt;
}
