/** The services as processes: who runs, who was struck, and when each was not at its work. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startService } from '#testing';

const READY_MS = 180_000;
/** A graceful stop is bounded; beyond this it has hung. */
const STOP_MS = 20_000;

/**
 * @typedef {object} Outage a time in which a process was not at its work, epoch ms.
 * @property {string} member
 * @property {'starting' | 'killed' | 'stopped' | 'frozen' | 'cut off' | 'died'} why
 * @property {number} from
 * @property {number | null} to when it was ready again.
 */

export class Crew {
  /** @type {Map<string, {name: string, service: string, boot: number, process: any, starting: boolean, outage: Outage | null}>} */
  members = new Map();
  /** @type {Outage[]} */
  outages = [];
  /** Processes that ended although nobody had ended them, and stops that hung. */
  surprises = [];
  closing = false;

  /**
   * @param {(name: string, boot: number) => Record<string, string>} envOf
   * @param {string} folder where the processes' outputs are kept.
   */
  constructor(envOf, folder) {
    this.envOf = envOf;
    this.folder = join(folder, 'logs');
    mkdirSync(this.folder, { recursive: true });
  }

  /** @param {string} name the service's name and a number, `responder-1`. */
  async add(name) {
    this.members.set(name, {
      name,
      service: name.replace(/-\d+$/, ''),
      boot: 0,
      process: null,
      starting: false,
      outage: null,
    });
    await this.start(name);
    await this.ready(name);
  }

  get(name) {
    return this.members.get(name);
  }

  /** Address of the member's HTTP server, null while it is down. */
  url(name) {
    return this.get(name)?.process?.url ?? null;
  }

  async start(name) {
    const member = this.get(name);
    if (this.closing || member.process || member.starting) return;
    member.starting = true;
    member.outage ??= this.open(name, 'starting');
    const boot = (member.boot += 1);
    const process = await startService(member.service, this.envOf(name, boot), { ready: false });
    Object.assign(member, { process, starting: false });
    void process.exited.then((exit) => {
      writeFileSync(join(this.folder, `${name}.${boot}.log`), process.output());
      if (member.process !== process || this.closing) return;
      member.process = null;
      this.surprises.push({ member: name, boot, exit, output: process.output().split('\n').slice(-8) });
      member.outage ??= this.open(name, 'died');
      void this.start(name);
    });
    void this.untilBack(member, process, () => {
      if (member.outage) member.outage.to = Date.now();
      member.outage = null;
    });
  }

  /** Ends a process by a signal; it stays down until `start`. */
  async end(name, signal) {
    const member = this.get(name);
    const { process } = member;
    if (!process) return;
    member.process = null;
    member.outage ??= this.open(name, signal === 'SIGKILL' ? 'killed' : 'stopped');
    const ended = process.kill(signal);
    const late = delay(STOP_MS, 'late', { ref: false });
    if ((await Promise.race([ended, late])) !== 'late') return;
    this.surprises.push({ member: name, boot: member.boot, exit: 'a graceful stop that hung' });
    await process.kill('SIGKILL');
  }

  async freeze(name, ms) {
    const member = this.get(name);
    const running = member.process;
    if (!running) return;
    await this.away(name, 'frozen', async () => {
      process.kill(running.pid, 'SIGSTOP');
      await delay(ms);
      try {
        process.kill(running.pid, 'SIGCONT');
      } catch {
        // It is gone.
      }
    });
  }

  /** Keeps the times of something that `act` does to a running process, until it is at its work again. */
  async away(name, why, act) {
    const member = this.get(name);
    const { process } = member;
    const outage = this.open(name, why);
    await act();
    await this.untilBack(member, process, () => (outage.to = Date.now()));
    outage.to ??= Date.now();
  }

  open(name, why) {
    const outage = { member: name, why, from: Date.now(), to: null };
    this.outages.push(outage);
    return outage;
  }

  /** Tells when this very process answers that it is ready. */
  async untilBack(member, process, tell) {
    while (process !== null && member.process === process && !this.closing) {
      if (await isReady(process.url)) return tell();
      await delay(50);
    }
  }

  /** Waits, for a bounded time, until this member is up and nothing ails it. */
  async atWork(name, withinMs) {
    const isAway = () =>
      this.get(name).process === null || this.outages.some((outage) => outage.member === name && outage.to === null);
    for (const deadline = Date.now() + withinMs; isAway() && Date.now() < deadline;) await delay(20);
  }

  async ready(name) {
    for (const deadline = Date.now() + READY_MS; Date.now() < deadline; await delay(50)) {
      const member = this.get(name);
      if (member.process && (await isReady(member.process.url))) return true;
    }
    throw new Error(`${name} does not get ready:\n${this.get(name).process?.output().slice(-3_000)}`);
  }

  async closeAll() {
    this.closing = true;
    for (const outage of this.outages) outage.to ??= Date.now();
    await Promise.all(
      [...this.members.values()].map(async ({ process }) => {
        if (process) await process.kill('SIGKILL');
      }),
    );
  }
}

async function isReady(url) {
  try {
    const response = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}
