import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { describeEnv, readEnv } from '#process';
import { repositoryRoot } from '#testing';

interface Service {
  image?: string;
  build?: { target: string };
  command?: string[];
  environment?: Record<string, string>;
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
}

const read = (file: string): string => readFileSync(join(repositoryRoot, file), 'utf8');
const { services } = parse(read('docker-compose.yml'), { merge: true }) as { services: Record<string, Service> };
const ours = Object.entries(services).filter(([, service]) => service.build !== undefined);
const portOf = (name: string): string => `${name.toUpperCase()}_PORT`;

/** As Compose does it, for the two forms that the file uses: a default, or an error when not set. */
const expand = (value: string): string =>
  value.replace(/\$\{\w+(?::-([^}]*)|:\?[^}]*)\}/g, (_, usual?: string) => usual ?? 'set');

test.each(ours)('every variable that %s is given is one that the schema knows', (_, service) => {
  const known = new Set(describeEnv().map((setting) => setting.name));
  expect(Object.keys(service.environment ?? {}).filter((name) => !known.has(name))).toEqual([]);
});

test.each(ours)('the environment of %s is accepted at boot', (_, service) => {
  const entries = Object.entries(service.environment ?? {}).map(([name, value]) => [name, expand(value)] as const);
  expect(() => readEnv(Object.fromEntries(entries))).not.toThrow();
});

test.each(ours)('%s has a target in the Dockerfile, and a health check on its own port', (name, service) => {
  expect(read('Dockerfile')).toContain(`\nFROM runtime AS ${service.build?.target}\n`);
  if (name === 'migrate') return;
  expect(service.environment?.[portOf(name)]).toBeDefined();
  expect(service.healthcheck?.test).toEqual(['CMD', 'node', 'tools/health.mjs', service.environment?.[portOf(name)]]);
});

test('Postgres and Redis are of the supported releases, and Redis keeps its queues', () => {
  expect(services['postgres']?.image).toBe('postgres:17');
  expect(services['redis']?.image).toBe('redis:7');
  expect(services['redis']?.command?.join(' ')).toContain('--appendonly yes --maxmemory-policy noeviction');
});

test.each(['ingest', 'batcher', 'responder', 'console'])('%s starts only on a migrated database', (name) => {
  expect(services[name]?.depends_on?.['migrate']?.condition).toBe('service_completed_successfully');
});
