import { z } from 'zod';

const ms = z.number().int().min(0).max(3_600_000);

/** One scripted status: `afterMs` counts from acceptance (or from the end of the call, for early-status). */
const statusStep = z.strictObject({
  status: z.enum(['sent', 'delivered', 'read', 'failed', 'played']),
  afterMs: ms.default(0),
  /** Error code of a failed status. */
  code: z.number().int().default(131026),
  /** How often this status is told, one after the other. */
  times: z.number().int().min(1).max(100).default(1),
  /** false leaves biz_opaque_callback_data out, so that only the message id can match it. */
  tracker: z.boolean().default(true),
});

const statuses = z.union([z.literal('normal'), z.literal('none'), z.array(statusStep).max(200)]).default('normal');

const match = {
  account: z.string().optional(),
  /** Sends: the recipient (phone, user id or group id). Inbound: the person who wrote. */
  to: z.string().optional(),
  textIncludes: z.string().optional(),
  /** Lets this many matches pass first. */
  skip: z.number().int().min(0).default(0),
  /** How often it strikes; `always` until it is removed. */
  times: z.union([z.number().int().min(1), z.literal('always')]).default(1),
};

/** Which calls a fault of the Cloud API looks at. */
const on = z.enum(['send', 'read', 'any']).default('send');

export const faultSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('error'),
    ...match,
    on,
    code: z.number().int(),
    http: z.number().int().min(200).max(599).optional(),
    subcode: z.number().int().optional(),
    isTransient: z.boolean().optional(),
    message: z.string().optional(),
    details: z.string().optional(),
  }),
  z.strictObject({
    kind: z.literal('http'),
    ...match,
    on,
    status: z.number().int().min(200).max(599),
    body: z.string().default(''),
    headers: z.record(z.string(), z.string()).default({}),
  }),
  z.strictObject({ kind: z.literal('latency'), ...match, on, ms, when: z.enum(['before', 'after']).default('before') }),
  z.strictObject({ kind: z.literal('cut-before'), ...match, on }),
  z.strictObject({ kind: z.literal('cut-after'), ...match, on: z.literal('send').default('send'), statuses }),
  z.strictObject({ kind: z.literal('statuses'), ...match, on: z.literal('send').default('send'), statuses }),
  z.strictObject({
    kind: z.literal('early-status'),
    ...match,
    on: z.literal('send').default('send'),
    status: z.enum(['sent', 'delivered', 'read']).default('sent'),
    /** Time between the webhook's answer and ours. */
    holdMs: ms.default(50),
    statuses,
  }),
  z.strictObject({
    kind: z.literal('failed-later'),
    ...match,
    on: z.literal('send').default('send'),
    code: z.number().int().default(131047),
    afterMs: ms.default(50),
  }),
  z.strictObject({ kind: z.literal('duplicate'), ...match, n: z.number().int().min(1).max(1000).default(1) }),
  z.strictObject({ kind: z.literal('delay'), ...match, ms }),
  /** Held until the next webhook with a message has gone out, at most `maxHoldMs`. */
  z.strictObject({ kind: z.literal('reorder'), ...match, maxHoldMs: ms.default(5000) }),
]);

export type FaultScript = z.output<typeof faultSchema>;
export type StatusScript = z.output<typeof statuses>;
export type StatusStep = z.output<typeof statusStep>;
