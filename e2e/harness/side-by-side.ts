/** Several cases in one world at the same time: starting its processes is what takes long, and people do not mix. */
import { checkInvariants, type InvariantOptions } from './check-invariants.js';
import type { World } from './world.js';

export type Case = (world: World) => Promise<void>;

interface SideBySideOptions extends InvariantOptions {
  /** Cases that would disturb the others: one after the other, when those have ended. */
  afterwards?: Record<string, Case>;
}

/** Starts the world, then all cases at once; each is a test of its own, and the invariants are the last one. */
export function sideBySide(
  start: () => Promise<World>,
  cases: Record<string, Case>,
  { afterwards = {}, ...options }: SideBySideOptions = {},
): void {
  const ends = new Map<string, Promise<unknown>>();
  let world: World;
  beforeAll(async () => {
    world = await start();
    for (const [name, run] of Object.entries(cases)) {
      ends.set(
        name,
        run(world).then(
          () => null,
          (error: unknown) => error,
        ),
      );
    }
  }, 120_000);
  afterAll(() => world?.close());

  it.each(Object.keys(cases))(
    '%s',
    async (name) => {
      const error = await ends.get(name);
      if (error !== null) throw error;
    },
    60_000,
  );

  for (const [name, run] of Object.entries(afterwards)) it(name, () => run(world), 120_000);

  it('keeps the invariants', () => checkInvariants(world, options), 60_000);
}
