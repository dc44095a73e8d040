/** When things happen in a case. Waiting for a result is never done here: that is `eventually`. */
import { setTimeout as delay } from 'node:timers/promises';

export interface Gate {
  opened: Promise<void>;
  open(): void;
}

/** Lets a fake stop in the middle until the test says go on. */
export function createGate(): Gate {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** Keeps to the schedule of a case: what people do `ms` after `start` (epoch ms). */
export async function at(start: number, ms: number): Promise<void> {
  await delay(Math.max(0, start + ms - Date.now()));
}
