/**
 * Who a payload speaks about. A phone may be withheld, and it then is absent, null, "", or holds the business-scoped
 * id; all four read the same. A username is changeable and never an identity.
 */
import type { Alias, Person } from '#domain';
import { asId } from './read.js';

export interface Ids {
  phone: string | null;
  user: string | null;
  parent: string | null;
}

// A placeholder such as "0" must not pass: every stranger who has it would land in one conversation.
const PHONE = /^\+?(?!0+$)(\d{5,20})$/;
const BUSINESS_SCOPED = /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/;
const ANY_USER = /^(?=.*\d)[\w.:-]{5,256}$/;

/** Reads the three ids from the fields that should hold them. */
export function readIds(phoneField: unknown, userField: unknown, parentField: unknown): Ids {
  const given = asId(phoneField)?.trim() ?? '';
  const phone = PHONE.exec(given)?.[1] ?? null;
  const stray = BUSINESS_SCOPED.exec(given);
  return {
    phone,
    user: userId(userField) ?? (stray !== null && stray[1] === undefined ? given : null),
    parent: userId(parentField) ?? (stray !== null && stray[1] !== undefined ? given : null),
  };
}

/** The aliases of a person, the most telling first. */
export function aliasesOf(ids: Ids): Alias[] {
  const aliases: Alias[] = [];
  if (ids.phone !== null) aliases.push({ kind: 'phone', value: ids.phone });
  if (ids.user !== null) aliases.push({ kind: 'user', value: ids.user });
  if (ids.parent !== null) aliases.push({ kind: 'parent', value: ids.parent });
  return aliases;
}

/** `base`, its gaps filled from `other` unless the two name different people. */
export function fillGaps(base: Ids, other: Ids): Ids {
  if (differ(base.user, other.user) || differ(base.phone, other.phone)) return base;
  return {
    phone: base.phone ?? other.phone,
    user: base.user ?? other.user,
    parent: base.parent ?? other.parent,
  };
}

export function personOf(ids: Ids, name: string | null): Person {
  return { aliases: aliasesOf(ids), name };
}

function userId(field: unknown): string | null {
  const id = asId(field)?.trim() ?? '';
  return BUSINESS_SCOPED.test(id) || ANY_USER.test(id) ? id : null;
}

function differ(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && one !== other;
}
