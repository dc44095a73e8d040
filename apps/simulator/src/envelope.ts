import type { Account } from './accounts.js';
import type { Person } from './people.js';

/** The outer shape of every WhatsApp webhook, with one change. */
export function envelope(account: Account, value: object): object {
  return {
    object: 'whatsapp_business_account',
    entry: [
      {
        id: account.wabaId,
        changes: [
          {
            value: {
              messaging_product: 'whatsapp',
              metadata: {
                display_phone_number: account.displayPhoneNumber,
                phone_number_id: account.phoneNumberId,
              },
              ...value,
            },
            field: 'messages',
          },
        ],
      },
    ],
  };
}

/**
 * How the phone of a person who hides it travels: sources disagree, so all four shapes exist. `old` is the shape
 * from before business-scoped user ids.
 */
export type PhoneShape = 'shown' | 'omitted' | 'null' | 'empty' | 'user-id' | 'old';

/** The phone as it stands in `wa_id` and `from`, as an object to spread. */
export function phoneField(field: 'wa_id' | 'from', person: Person, shape: PhoneShape): object {
  switch (shape) {
    case 'shown':
    case 'old':
      return person.waId === undefined ? {} : { [field]: person.waId };
    case 'omitted':
      return {};
    case 'null':
      return { [field]: null };
    case 'empty':
      return { [field]: '' };
    case 'user-id':
      return { [field]: person.userId };
  }
}

/** One item of `contacts`. */
export function contactOf(person: Person, shape: PhoneShape): object {
  return {
    profile: { name: person.name, ...(person.username === undefined ? {} : { username: person.username }) },
    ...phoneField('wa_id', person, shape),
    ...(shape === 'old' ? {} : { user_id: person.userId }),
  };
}
