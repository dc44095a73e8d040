/** One change: which reader its field wants. A field that is new to us becomes a notice and is kept. */
import type { ParsedItem } from '#domain';
import { type Envelope, makeItem, unreadable } from './item.js';
import { parseEcho } from './parse-echo.js';
import { parseMessage } from './parse-message.js';
import { parseChangeNotice, parseErrorNotice, parsePreference } from './parse-notice.js';
import { parseStatus } from './parse-status.js';
import { parseUserIdUpdate } from './parse-user-id-update.js';
import type { Bag } from './read.js';

type ItemReader = (value: unknown, envelope: Envelope) => ParsedItem;

export function parseChange(value: Bag, envelope: Envelope): ParsedItem[] {
  const items = listsOf(envelope.field).flatMap(([key, as, reader]) => readList(value[key], as, reader, envelope));
  return items.length > 0 ? items : [parseChangeNotice(value, envelope)];
}

function listsOf(field: string | null): [key: string, as: string, reader: ItemReader][] {
  switch (field) {
    case 'messages':
    case null:
      return [
        ['messages', 'message', parseMessage],
        ['statuses', 'status', parseStatus],
        ['errors', 'error', parseErrorNotice],
      ];
    case 'smb_message_echoes':
      return [
        ['message_echoes', 'echo', parseEcho],
        ['errors', 'error', parseErrorNotice],
      ];
    case 'user_id_update':
      return [['user_id_update', 'update', parseUserIdUpdate]];
    case 'user_preferences':
      return [['user_preferences', 'preference', parsePreference]];
    default:
      return [];
  }
}

function readList(list: unknown, as: string, reader: ItemReader, envelope: Envelope): ParsedItem[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) {
    return [makeItem(envelope, { as, value: list }, null, null, unreadable(`${as}: not a list`))];
  }
  return list.map((value) => {
    try {
      return reader(value, envelope);
    } catch (error) {
      // Only a bug gets here; the neighbours must not pay for it.
      return makeItem(envelope, { as, value }, null, null, unreadable(`${as}: ${String(error)}`));
    }
  });
}
