import { Injectable } from '@nestjs/common';

import { BoundedLog } from './bounded-log.js';

/** One call of the Cloud API, written down when it arrives and completed when it is answered. */
export interface ApiCall {
  n: number;
  /** Epoch ms, real time. */
  at: number;
  answeredAt: number | null;
  account: string;
  kind: 'send' | 'read' | 'typing';
  /** The person's key or group id (for read and typing: whose message it was). */
  to: string | null;
  /** The recipient exactly as the call named it. */
  input: string | null;
  type?: string;
  text: string | null;
  tracker: string | null;
  messageId?: string;
  /** Kinds of the faults that struck this call. */
  fault: string[];
  accepted: boolean;
  wamid: string | null;
  error: number | null;
  /** HTTP status; `cut` when the socket was destroyed; null while in flight. */
  status: number | 'cut' | null;
}

export interface CallFilter {
  to?: string | undefined;
  kind?: string | undefined;
  account?: string | undefined;
  /** Only calls with a higher n. */
  after?: number | undefined;
}

const LIMIT = 50_000;

/** Every API call in order of arrival. */
@Injectable()
export class CallLog {
  private readonly byPerson = new Map<string, ApiCall[]>();
  private readonly log = new BoundedLog<ApiCall>(LIMIT, (call) => this.unindex(call));
  private count = 0;

  open(account: string): ApiCall {
    const call: ApiCall = {
      n: (this.count += 1),
      at: Date.now(),
      answeredAt: null,
      account,
      kind: 'send',
      to: null,
      input: null,
      text: null,
      tracker: null,
      fault: [],
      accepted: false,
      wamid: null,
      error: null,
      status: null,
    };
    this.log.add(call);
    return call;
  }

  /** Says whose call it is; the log is indexed by it. */
  address(call: ApiCall, to: string): void {
    call.to = to;
    const calls = this.byPerson.get(to);
    if (calls) calls.push(call);
    else this.byPerson.set(to, [call]);
  }

  list(filter: CallFilter): ApiCall[] {
    const calls = filter.to === undefined ? this.log.all() : (this.byPerson.get(filter.to) ?? []);
    return calls.filter(
      (call) =>
        (filter.kind === undefined || call.kind === filter.kind) &&
        (filter.account === undefined || call.account === filter.account) &&
        (filter.after === undefined || call.n > filter.after),
    );
  }

  clear(): void {
    this.log.clear();
    this.byPerson.clear();
  }

  private unindex(call: ApiCall): void {
    const calls = call.to === null ? undefined : this.byPerson.get(call.to);
    if (!calls) return;
    calls.shift();
    if (calls.length === 0) this.byPerson.delete(call.to!);
  }
}
