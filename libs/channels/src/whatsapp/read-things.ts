/** Things a person can hand over instead of words: a place, contact cards, a basket. */
import { asBag, asDetail, asList, asNumber, asText, type Bag, pickDetails } from './read.js';
import type { ReadContent } from './read-media.js';

export const readLocation: ReadContent = (message) => {
  const location = asBag(message.location);
  if (location === null) return null;
  const latitude = asNumber(location.latitude);
  const longitude = asNumber(location.longitude);
  const place = joined([asText(location.name), asText(location.address)], ', ');
  const point = latitude === null || longitude === null ? null : `(${latitude}, ${longitude})`;
  return {
    text: joined(['[location]', place === '' ? null : place, point], ' '),
    media: null,
    details: pickDetails(location, ['latitude', 'longitude', 'name', 'address', 'url']),
  };
};

/** Contact cards. A card can come without a name since people can hide behind a username. */
export const readContacts: ReadContent = (message) => {
  const cards = asList(message.contacts)
    .map(asBag)
    .filter((card) => card !== null);
  if (cards.length === 0) return null;
  return {
    text: cards.map(cardLine).join('\n'),
    media: null,
    details: { contacts: asDetail(cards), ...pickDetails(message, ['origin']) },
  };
};

/** A basket: one line per product, then the remark that came with it. */
export const readOrder: ReadContent = (message) => {
  const order = asBag(message.order);
  if (order === null) return null;
  const lines = asList(order.product_items).flatMap((item) => productLine(asBag(item)) ?? []);
  return {
    text: joined([...(lines.length > 0 ? lines : ['[order]']), asText(order.text)], '\n'),
    media: null,
    details: pickDetails(order, ['catalog_id', 'product_items']),
  };
};

function cardLine(card: Bag): string {
  const name = asText(asBag(card.name)?.formatted_name) ?? asText(asBag(card.org)?.company);
  const phones = asList(card.phones).map((phone) => asText(asBag(phone)?.phone) ?? asText(asBag(phone)?.wa_id));
  const words = joined([name, joined(phones, ', ')], ' ').trim();
  return `[contact] ${words === '' ? 'without a name' : words}`;
}

function productLine(item: Bag | null): string | null {
  if (item === null) return null;
  const price = asNumber(item.item_price);
  const cost = price === null ? null : `(${joined([price.toFixed(2), asText(item.currency)], ' ')})`;
  const product = asText(item.product_retailer_id) ?? 'unknown product';
  return joined([`[order] ${asText(item.quantity) ?? '?'} × ${product}`, cost], ' ');
}

function joined(words: readonly (string | null)[], by: string): string {
  return words.filter((word) => word !== null && word !== '').join(by);
}
