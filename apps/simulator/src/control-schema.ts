import { z } from 'zod';

const text = z.string().max(1_000_000);

/** One message of a person; `message` is the raw body next to `type`, e.g. {type: "image", image: {...}}. */
const item = {
  text: text.optional(),
  message: z.looseObject({ type: z.string() }).optional(),
  /** Provider time, epoch seconds; default: now on the simulator's clock. */
  at: z.number().int().min(0).optional(),
  id: z.string().min(1).optional(),
  groupId: z.string().min(1).optional(),
  /** A topic inside the chat, sent as `thread_id`. WhatsApp has none today: for trying lock scopes. */
  threadId: z.string().min(1).max(100).optional(),
};

const author = {
  from: z.string().min(1).optional(),
  userId: z.string().min(1).optional(),
  name: z.string().optional(),
  username: z.string().optional(),
  /** How a hidden phone travels; default: shown when there is one. */
  phone: z.enum(['shown', 'omitted', 'null', 'empty', 'user-id', 'old']).optional(),
};

export const writeSchema = z
  .strictObject({
    account: z.string().optional(),
    ...author,
    ...item,
    /** Several messages in one webhook; what an item leaves out is taken from the outer fields. */
    messages: z
      .array(z.strictObject({ ...author, ...item }))
      .min(1)
      .max(1000)
      .optional(),
    /** The identical webhook that many times in parallel. */
    copies: z.number().int().min(1).max(1000).default(1),
  })
  .refine(
    (value) =>
      (value.messages ?? [value]).every((m) => (m.from ?? value.from ?? m.userId ?? value.userId) !== undefined),
    {
      message: 'from or userId is required',
    },
  )
  .refine((value) => (value.messages ?? [value]).every((m) => m.text !== undefined || m.message !== undefined), {
    message: 'text or message is required',
  });

export const rawSchema = z.strictObject({
  account: z.string().optional(),
  /** A string is posted byte for byte (UTF-8); anything else as JSON the way Meta escapes it. */
  body: z.union([z.string(), z.looseObject({}), z.array(z.unknown())]),
  /** Replaces the right signature; null sends none. */
  signature: z.string().nullable().optional(),
  copies: z.number().int().min(1).max(1000).default(1),
});

export const accountSchema = z.strictObject({
  phoneNumberId: z.string().min(1),
  accessToken: z.string().min(1),
  appSecret: z.string().min(1),
  /** Default: the webhook of the first account. */
  webhookUrl: z.url().optional(),
  displayPhoneNumber: z.string().optional(),
  wabaId: z.string().optional(),
});

/** `offsetMs` is set, not added. */
export const clockSchema = z.strictObject({ offsetMs: z.number().int() });

const delay = z.number().int().min(0).max(3_600_000);

/** Any part of the settings; what is left out stays. */
export const settingsSchema = z.strictObject({
  statuses: z
    .strictObject({ sentMs: delay.nullable(), deliveredMs: delay.nullable(), readMs: delay.nullable() })
    .partial()
    .optional(),
  pairLimit: z
    .strictObject({ burst: z.number().int().min(1), refillMs: z.number().min(0.001) })
    .partial()
    .optional(),
  retry: z
    .strictObject({
      baseMs: z.number().int().min(1),
      maxDelayMs: z.number().int().min(1),
      maxAgeMs: z.number().int().min(0),
      maxPending: z.number().int().min(0),
    })
    .partial()
    .optional(),
  windowMs: delay.optional(),
  maxWaitMs: delay.optional(),
});

export type WriteRequest = z.output<typeof writeSchema>;
export type RawRequest = z.output<typeof rawSchema>;
