import type { AssistantAnswer, Json } from '#domain';
import { z } from 'zod';

const filled = z.string().refine((text) => text.trim() !== '', 'must not be blank');
const schema = z.union([
  z.object({ parts: z.array(filled).min(1) }),
  z.object({ silent: z.literal(true) }),
  z.object({ review: filled }),
]);

/** Reads `{parts}`, `{silent: true}` or `{review}`; null when it is none of them. */
export function readHttpAnswer(body: Json): AssistantAnswer | null {
  const parsed = schema.safeParse(body);
  if (!parsed.success) return null;
  if ('parts' in parsed.data) return { kind: 'reply', parts: parsed.data.parts };
  return 'silent' in parsed.data ? { kind: 'silent' } : { kind: 'review', why: parsed.data.review };
}
