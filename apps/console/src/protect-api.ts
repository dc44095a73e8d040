/** Who may talk to the console: programs and people with the token, or, without one, this machine alone. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Env, LOG, StartRefusal, type Log } from '#process';

/** What a probe or a browser may see without a token. Everything else is closed, also routes that nobody thought of. */
const PUBLIC = new Set(['/', '/health/live', '/health/ready', '/metrics']);
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i;

/** @throws StartRefusal when the API would be open to others. */
export function checkExposure(env: Pick<Env, 'HOST' | 'CONSOLE_API_TOKEN'>): void {
  if (env.CONSOLE_API_TOKEN !== undefined || LOOPBACK.test(env.HOST)) return;
  throw new StartRefusal(
    `the console has no CONSOLE_API_TOKEN, so it listens on loopback only, but HOST is ${env.HOST}. ` +
      'Set CONSOLE_API_TOKEN to a long random text, or HOST to 127.0.0.1.',
  );
}

/** Guards every route of the app, whichever library has registered it. */
export function protectApi(app: NestFastifyApplication): void {
  const token = app.get(Env).CONSOLE_API_TOKEN;
  if (token === undefined) {
    app.get<Log>(LOG).warn('CONSOLE_API_TOKEN is not set: the console listens on loopback only and asks for no login');
  }
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', (request, reply, done) => {
      // The matched route and not the address: an address can be spelled in many ways.
      if (PUBLIC.has(request.routeOptions.url ?? '')) return done();
      const problem = token === undefined ? problemOnLoopback(request) : problemWithToken(request, token);
      if (problem === null) return done();
      refuse(reply, problem);
    });
}

interface Problem {
  status: 401 | 403;
  message: string;
}

function refuse(reply: FastifyReply, { status, message }: Problem): void {
  // Browsers ask for a password then: any name, with the token as the password.
  if (status === 401) void reply.header('www-authenticate', 'Basic realm="oneturn", charset="UTF-8"');
  void reply.code(status).send({ statusCode: status, message });
}

function problemWithToken(request: FastifyRequest, token: string): Problem | null {
  const [scheme = '', given = ''] = (request.headers.authorization ?? '').split(' ');
  if (scheme.toLowerCase() === 'bearer' && equal(given, token)) return null;
  const password = Buffer.from(given, 'base64')
    .toString()
    .replace(/^[^:]*:/, '');
  if (scheme.toLowerCase() !== 'basic' || !equal(password, token)) {
    return { status: 401, message: 'a bearer token is needed: CONSOLE_API_TOKEN' };
  }
  // A browser sends a password along wherever the request comes from.
  return problemOfOrigin(request);
}

/** A page of somebody else, open in a browser on this machine, must not reach the console either. */
function problemOnLoopback(request: FastifyRequest): Problem | null {
  const name = (request.headers.host ?? '').replace(/:\d+$/, '');
  if (!LOOPBACK.test(name)) return { status: 403, message: 'without CONSOLE_API_TOKEN only addresses of this machine' };
  return problemOfOrigin(request);
}

function problemOfOrigin(request: FastifyRequest): Problem | null {
  const { origin, host } = request.headers;
  if (origin === undefined || request.method === 'GET' || request.method === 'HEAD') return null;
  if (URL.canParse(origin) && new URL(origin).host === host) return null;
  return { status: 403, message: 'requests from pages of other addresses are refused' };
}

/** In constant time, whatever the lengths are. */
function equal(given: string, expected: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}
