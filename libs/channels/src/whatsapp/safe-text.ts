import { hash } from 'node:crypto';

const LONGEST_ID = 512;

/** SHA-256 as hex of a text (as UTF-8) or of bytes. */
export function sha256(of: string | Uint8Array): string {
  return hash('sha256', of, 'hex');
}

/** Replaces what Postgres refuses in text and jsonb (NUL, lone surrogates) by U+FFFD. */
export function cleanText(text: string): string {
  // Nearly every text is clean, and looking is much cheaper than replacing.
  if (text.isWellFormed() && !text.includes('\0')) return text;
  return text.replaceAll('\0', '\uFFFD').replace(/\p{Cs}/gu, '\uFFFD');
}

/**
 * An id that can be stored and indexed. One that had to be changed, or is absurdly long, becomes its hash: cleaning
 * alone could make two ids equal, and the second event would be taken for a copy of the first.
 */
export function safeId(id: string): string {
  if (id.length <= LONGEST_ID && cleanText(id) === id) return id;
  // JSON text keeps lone surrogates apart; plain UTF-8 would turn them all into the same three bytes.
  return `sha256:${sha256(JSON.stringify(id))}`;
}
