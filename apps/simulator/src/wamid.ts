import { randomBytes } from 'node:crypto';

/**
 * A new message id in Meta's shape: base64 of a small structure that holds the person's phone or user id.
 * Inbound and outbound ids differ in one byte and in the length of the random part.
 */
export function mintWamid(person: string, direction: 'in' | 'out'): string {
  const random = randomBytes(direction === 'in' ? 10 : 9)
    .toString('hex')
    .toUpperCase();
  const bytes = Buffer.concat([
    Buffer.from([0x1c, 0x18, Buffer.byteLength(person) & 0xff]),
    Buffer.from(person),
    Buffer.from([0x15, 0x02, 0x00, direction === 'in' ? 0x12 : 0x11, 0x18, random.length]),
    Buffer.from(random),
    Buffer.from([0]),
  ]);
  return `wamid.${bytes.toString('base64')}`;
}
