/** Whether a service should be sent traffic. */

/** Resolves when fine, rejects with the reason when not. */
export type ReadinessCheck = () => Promise<unknown>;

/** Checks register themselves; while the service drains it is never ready, whatever they say. */
export class Readiness {
  readonly checks = new Map<string, ReadinessCheck>();
  private isDraining = false;

  add(name: string, check: ReadinessCheck): void {
    this.checks.set(name, check);
  }

  get draining(): boolean {
    return this.isDraining;
  }

  startDraining(): void {
    this.isDraining = true;
  }
}
