import { Injectable } from '@nestjs/common';

import type { FaultScript } from './fault-schema.js';
import { People } from './people.js';

export type Fault = FaultScript & { id: number; matched: number; struck: number };
export type FaultOf<K extends FaultScript['kind']> = Extract<Fault, { kind: K }>;

/** What a fault is matched against. */
export interface FaultTarget {
  account: string;
  /** Person keys and group ids. */
  to: readonly string[];
  text: string;
}

const LISTED = 10_000;

/** The script of things that go wrong, in the order in which they were added. */
@Injectable()
export class Faults {
  private active: Fault[] = [];
  private readonly listed: Fault[] = [];
  private count = 0;

  constructor(private readonly people: People) {}

  add(script: FaultScript): Fault {
    const fault: Fault = { ...script, id: (this.count += 1), matched: 0, struck: 0 };
    this.active.push(fault);
    this.listed.push(fault);
    if (this.listed.length > LISTED) this.listed.shift();
    return fault;
  }

  /** Every fault with how often it struck, spent ones too. */
  list(): Fault[] {
    return [...this.listed];
  }

  clear(): void {
    this.active = [];
    this.listed.length = 0;
  }

  /**
   * Strikes with the first active fault of the given kinds that matches. Its count goes down at once, so two calls
   * in flight never share one strike.
   */
  strike<K extends FaultScript['kind']>(
    kinds: readonly K[],
    call: 'send' | 'read' | 'inbound',
    target: FaultTarget,
  ): FaultOf<K> | undefined {
    for (const fault of this.active) {
      if (!kinds.includes(fault.kind as K) || !this.matches(fault, call, target)) continue;
      fault.matched += 1;
      if (fault.matched <= fault.skip) continue;
      fault.struck += 1;
      if (fault.struck === fault.times) this.active = this.active.filter((other) => other !== fault);
      return fault as FaultOf<K>;
    }
    return undefined;
  }

  private matches(fault: Fault, call: 'send' | 'read' | 'inbound', target: FaultTarget): boolean {
    if ('on' in fault && fault.on !== 'any' && fault.on !== call) return false;
    if (fault.account !== undefined && fault.account !== target.account) return false;
    if (fault.textIncludes !== undefined && !target.text.includes(fault.textIncludes)) return false;
    if (fault.to === undefined) return true;
    return target.to.includes(this.people.find(fault.to)?.key ?? fault.to.replace(/^\+/, ''));
  }
}
