/** Kills processes with SIGKILL at random moments, and starts each of them again at once. */
import type { RunningService, ServiceName } from '#testing';
import { setTimeout as delay } from 'node:timers/promises';
import { crashAndRestart } from './crash.js';
import type { Random } from './random.js';
import type { World } from './world.js';

export class Killer {
  /** Kills so far, by service. */
  readonly kills: Partial<Record<ServiceName, number>> = {};
  private readonly alive: RunningService[];
  private readonly pending = new Set<Promise<void>>();
  private failure: unknown;

  constructor(
    private readonly world: World,
    private readonly random: Random,
    services: readonly ServiceName[],
  ) {
    this.alive = world.running.filter(({ name }) => services.includes(name));
  }

  /** Kills one process of the service at a random moment within `withinMs` from now; none when all of them are down. */
  strike(name: ServiceName, withinMs: number): void {
    const striking = this.killLater(name, this.random.below(withinMs)).catch((error: unknown) => {
      this.failure ??= error;
    });
    this.pending.add(striking);
    void striking.finally(() => this.pending.delete(striking));
  }

  /** Resolves when everything runs again. Rejects when something did not come up. */
  async rest(): Promise<void> {
    while (this.pending.size > 0) await Promise.all(this.pending);
    this.check();
  }

  /** Throws when a process did not come up again. */
  check(): void {
    if (this.failure !== undefined) throw this.failure;
  }

  private async killLater(name: ServiceName, inMs: number): Promise<void> {
    // The random moment itself, not a wait for something to have happened.
    await delay(inMs);
    const candidates = this.alive.filter((service) => service.name === name);
    if (candidates.length === 0) return;
    const victim = this.random.pick(candidates);
    this.alive.splice(this.alive.indexOf(victim), 1);
    this.kills[name] = (this.kills[name] ?? 0) + 1;
    this.alive.push(await crashAndRestart(this.world, victim));
  }
}
