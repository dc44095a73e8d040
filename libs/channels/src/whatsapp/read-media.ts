import type { Speech } from '#domain';
import { asBag, asId, asText, type Bag, pickDetails } from './read.js';

/** What a reader finds in a message of its type; null when it is not there. */
export type ReadContent = (message: Bag) => Omit<Speech, 'type'> | null;

type MediaType = 'image' | 'video' | 'audio' | 'document' | 'sticker';

/** Reads a file: a label that says what it is, then its caption. Ids live 7 days, links 5 minutes (Meta, media). */
export function readMedia(type: MediaType): ReadContent {
  return (message) => {
    const media = asBag(message[type]);
    if (media === null) return null;
    const filename = asText(media.filename);
    return {
      text: [label(type, media, filename), asText(media.caption)].filter((word) => word !== null).join(' '),
      media: { id: asId(media.id), mimeType: asText(media.mime_type), filename, url: asText(media.url) },
      details: pickDetails(media, ['sha256', 'voice', 'animated']),
    };
  };
}

function label(type: MediaType, media: Bag, filename: string | null): string {
  if (type === 'audio' && media.voice === true) return '[voice note]';
  return type === 'document' && filename !== null ? `[document: ${filename}]` : `[${type}]`;
}
