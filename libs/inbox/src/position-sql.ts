import { Prisma } from './generated/client.js';

/** Group and place of an event in one number: it orders what arrived in the same millisecond at one process. */
export const POSITION = Prisma.sql`(arrival_group * 100000 + arrival_index)::float8`;
