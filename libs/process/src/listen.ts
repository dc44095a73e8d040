import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { StartRefusal } from './start-refusal.js';

/**
 * Listens and says where.
 * @param port 0: any free one.
 * @throws StartRefusal in one line that names the variable to change.
 */
export async function listen(
  app: NestFastifyApplication,
  host: string,
  port: number,
  service: string,
): Promise<{ url: string; port: number }> {
  try {
    await app.listen({ port, host });
  } catch (error) {
    throw new StartRefusal(reason(error, host, port, service), { cause: error });
  }
  const address: unknown = app.getHttpServer().address();
  const taken = isAddress(address) ? address.port : port;
  return { url: `http://${reachable(host)}:${taken}`, port: taken };
}

function isAddress(value: unknown): value is { port: number } {
  return typeof value === 'object' && value !== null && 'port' in value && typeof value.port === 'number';
}

/** An address that listens on everything is not one that can be opened. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

function reason(error: unknown, host: string, port: number, service: string): string {
  const { code, message } = error as Partial<NodeJS.ErrnoException>;
  const change = `set ${service.toUpperCase()}_PORT to another one`;
  if (code === 'EADDRINUSE') return `${service}: port ${port} of ${host} is taken. Stop what uses it, or ${change}.`;
  if (code === 'EACCES') return `${service}: port ${port} needs more rights than this user has; ${change}.`;
  if (code === 'EADDRNOTAVAIL') return `${service}: this machine has no address ${host}. Correct HOST.`;
  return `${service}: cannot listen on ${host}:${port}: ${message ?? String(error)}`;
}
