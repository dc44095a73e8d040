/**
 * A message of type `system`: the person's number or id changed. It has no contact beside it; `from` is the old
 * identity, `system` holds the new one (Meta, system messages webhook; older spellings are accepted too).
 */
import type { Alias, ChatRef, ParsedEvent } from '#domain';
import { aliasesOf, fillGaps, type Ids, personOf, readIds } from './identity.js';
import { unreadable } from './item.js';
import { asBag, asText, type Bag } from './read.js';

export function systemEvent(message: Bag, from: Ids, chat: ChatRef): ParsedEvent {
  const system = asBag(message.system) ?? {};
  const what = asText(system.type) ?? 'system';
  const next = readIds(system.wa_id ?? system.new_wa_id, system.user_id, system.parent_user_id);
  const old = from.phone === null ? fillGaps(from, readIds(system.customer, null, null)) : from;
  const current = currentIds(what, old, next);
  const sender = { ...personOf(current, chat.sender.name) };
  if (sender.aliases.length === 0) return unreadable('system: nobody named');
  const text = asText(system.body) ?? '';
  return { kind: 'system', chat: { ...chat, sender }, what, text, replaces: replaced(what, old, current) };
}

/** With a new number, nothing of the old identity is known to live on; with a new id, the phone does. */
function currentIds(what: string, old: Ids, next: Ids): Ids {
  if (isNumberChange(what)) return aliasesOf(next).length > 0 ? next : old;
  return {
    phone: next.phone ?? old.phone,
    user: next.user ?? old.user,
    parent: next.parent ?? old.parent,
  };
}

// The old id is never taken out of the free text of `body`: the text holds the person's own display name, and a name
// that spells another person's id would merge the two.
function replaced(what: string, old: Ids, current: Ids): Alias[] {
  if (!isNumberChange(what) && what !== 'user_changed_user_id') return [];
  const kept = new Set(aliasesOf(current).map(aliasKey));
  return aliasesOf(old).filter((alias) => !kept.has(aliasKey(alias)));
}

function isNumberChange(what: string): boolean {
  return what === 'user_changed_number' || what === 'customer_changed_number';
}

function aliasKey(alias: Alias): string {
  return `${alias.kind}:${alias.value}`;
}
