/** What surrounds a message and changes how it reads: the ad it came from, the product it asks about, a forward. */
import type { Speech } from '#domain';
import { asBag, asText, type Bag, pickDetails } from './read.js';

export function frameSpeech(speech: Speech, message: Bag): Speech {
  const context = asBag(message.context);
  const lines = [adLine(asBag(message.referral)), productLine(asBag(context?.referred_product)), speech.text];
  const details = {
    ...speech.details,
    ...pickDetails(message, ['referral']),
    ...(context === null ? null : pickDetails(context, ['forwarded', 'frequently_forwarded', 'referred_product'])),
  };
  return {
    ...speech,
    text: lines.filter((line) => line !== null).join('\n'),
    details: Object.keys(details).length === 0 ? null : details,
  };
}

function adLine(referral: Bag | null): string | null {
  if (referral === null) return null;
  const headline = asText(referral.headline);
  const kind = asText(referral.source_type) ?? 'ad';
  return headline === null ? `[came from ${kind}]` : `[came from ${kind}: ${headline}]`;
}

function productLine(product: Bag | null): string | null {
  const id = asText(product?.product_retailer_id);
  return id === null ? null : `[about product: ${id}]`;
}
