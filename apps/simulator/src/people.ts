import { createHash } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import { BoundedMap } from './bounded-map.js';

/** Someone with WhatsApp. `key` never changes; a person who hides the phone has no waId. */
export interface Person {
  key: string;
  waId?: string;
  userId: string;
  name: string;
  username?: string;
}

const COUNTRIES = [
  ['351', 'PT'],
  ['55', 'BR'],
  ['54', 'AR'],
  ['52', 'MX'],
  ['49', 'DE'],
  ['44', 'GB'],
  ['34', 'ES'],
  ['33', 'FR'],
] as const;

/** Who is known, by phone and by business-scoped user id. */
@Injectable()
export class People {
  private readonly byAlias = new BoundedMap<Person>(100_000);

  /** The person behind a phone in any notation or a user id. */
  find(alias: string): Person | undefined {
    const key = looksLikeUserId(alias) ? alias : digits(alias);
    return this.byAlias.get(key) ?? this.byAlias.get(withoutNinthDigit(key));
  }

  /** Finds or makes a person and learns what is new about them. Needs a phone or a user id. */
  learn(seen: { waId?: string; userId?: string; name?: string; username?: string }): Person {
    const waId = seen.waId === undefined ? undefined : digits(seen.waId);
    const known = (waId && this.find(waId)) || (seen.userId && this.find(seen.userId)) || undefined;
    const person: Person = known ?? {
      key: waId ?? seen.userId ?? '',
      userId: seen.userId ?? userIdFor(waId ?? ''),
      name: seen.name ?? waId ?? seen.username ?? 'Someone',
    };
    if (waId && !person.waId) person.waId = waId;
    if (seen.userId) person.userId = seen.userId;
    if (seen.name) person.name = seen.name;
    if (seen.username) person.username = seen.username;
    if (waId) this.byAlias.set(waId, person);
    this.byAlias.set(person.userId, person);
    return person;
  }
}

/** Two-letter country code, a dot, then the rest: Meta's shape of a business-scoped user id. */
export function looksLikeUserId(text: string): boolean {
  return /^[A-Z]{2}\.[A-Za-z0-9.]{1,128}$/.test(text);
}

/** A phone number's digits. */
export function digits(phone: string): string {
  return phone.replace(/\D/g, '');
}

/** Older Brazilian accounts are known without the ninth digit that people type today. */
function withoutNinthDigit(phone: string): string {
  return /^55\d{2}9\d{8}$/.test(phone) ? phone.slice(0, 4) + phone.slice(5) : phone;
}

function userIdFor(waId: string): string {
  const country = COUNTRIES.find(([prefix]) => waId.startsWith(prefix))?.[1] ?? 'US';
  const hash = createHash('sha256').update(waId).digest('hex').slice(0, 15);
  return `${country}.${BigInt(`0x${hash}`).toString().padStart(20, '4')}`;
}
