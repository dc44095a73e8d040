/** JSON lines on standard output; one logger per process, one child per service. */
import { pino, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

/** Injection token of the service's logger: `@Inject(LOG) private readonly log: Log` (with `import type`). */
export const LOG = Symbol('log');

const SECRET_KEYS = [
  'authorization',
  'accessToken',
  'apiKey',
  'appSecret',
  'appSecrets',
  'connectionString',
  'cookie',
  'password',
  'secret',
  'token',
  'verifyToken',
  'connectionUrl',
];
const PARENTS = ['', '*.', '*.*.'];

/**
 * A logger whose lines carry `service`, and where values under the usual names of secrets are blanked,
 * at the top and up to two levels below.
 * @param destination for tests; standard output otherwise, written synchronously so that a crash loses no line.
 */
export function createLogger(service: string, level = 'info', destination?: DestinationStream): Log {
  const paths = PARENTS.flatMap((parent) => [
    ...SECRET_KEYS.map((key) => `${parent}${key}`),
    `${parent}headers["x-hub-signature-256"]`,
    `${parent}headers["x-telegram-bot-api-secret-token"]`,
  ]);
  const options = {
    level,
    base: { service, pid: process.pid },
    redact: { paths, censor: '[hidden]' },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, destination ?? standardOutput);
}

/**
 * Node writes to files and pipes at once, and a reader that went away ends in an 'error' event that run-process
 * swallows. Pino's own destination repeats a write to a broken pipe for ever, which kept a process from exiting.
 */
const standardOutput: DestinationStream = { write: (line) => void process.stdout.write(line) };

/** An address without its user, password and query, fit for a log line. */
export function shownAddress(address: string): string {
  try {
    const url = new URL(address);
    return `${url.protocol}//${url.host}${url.pathname}`;
  } catch {
    return '(not an address)';
  }
}
