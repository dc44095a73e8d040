/**
 * A reply as the parts it is sent in: one per paragraph (blank line), long ones cut at the end of a sentence, else at a
 * space, else hard. `limit` in UTF-16 units, as the channels count; a surrogate pair is never torn.
 */
export function splitReply(text: string, limit: number): string[] {
  return text
    .split(/\n[^\S\n]*\n/)
    .map((paragraph) => paragraph.trim())
    .flatMap((paragraph) => cut(paragraph, limit));
}

function cut(paragraph: string, limit: number): string[] {
  const pieces: string[] = [];
  let rest = paragraph;
  while (rest.length > limit) {
    const at = cutPosition(rest, limit);
    pieces.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
  }
  if (rest !== '') pieces.push(rest);
  return pieces;
}

function cutPosition(text: string, limit: number): number {
  const head = text.slice(0, limit);
  const sentence = lastMatchEnd(head, /[.!?…](?=\s)|\n/g);
  // An early sentence end would make many tiny parts: below a third of the limit a space serves better.
  if (sentence > limit / 3) return sentence;
  const space = head.lastIndexOf(' ');
  if (space > limit / 3) return space;
  const unit = text.charCodeAt(limit - 1);
  return limit > 1 && unit >= 0xd800 && unit <= 0xdbff ? limit - 1 : limit;
}

function lastMatchEnd(text: string, pattern: RegExp): number {
  let end = -1;
  for (const match of text.matchAll(pattern)) end = match.index + match[0].length;
  return end;
}
