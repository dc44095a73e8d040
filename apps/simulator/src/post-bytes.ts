import http from 'node:http';
import https from 'node:https';

export interface Posted {
  /** HTTP status; null when no answer came. */
  status: number | null;
  error?: string;
}

export interface Agents {
  http: http.Agent;
  https: https.Agent;
}

/** Connections to the webhook receivers, kept open between deliveries. */
export function openAgents(): Agents {
  return {
    http: new http.Agent({ keepAlive: true, maxSockets: 64 }),
    https: new https.Agent({ keepAlive: true, maxSockets: 64 }),
  };
}

/** Posts exact bytes; never throws. `timeoutMs` bounds the silence of the receiver. */
export function postBytes(
  agents: Agents,
  url: string,
  body: Buffer,
  headers: Record<string, string>,
  timeoutMs: number,
): Promise<Posted> {
  return new Promise((resolve) => {
    const secure = url.startsWith('https:');
    const send = (again: boolean): void => {
      const request = (secure ? https : http).request(
        url,
        {
          method: 'POST',
          agent: secure ? agents.https : agents.http,
          timeout: timeoutMs,
          headers: { ...headers, 'content-length': body.length },
        },
        (response) => {
          response.resume();
          response.on('close', () => resolve({ status: response.statusCode ?? null }));
        },
      );
      request.on('timeout', () => request.destroy(new Error('timeout')));
      request.on('error', (error: NodeJS.ErrnoException) => {
        // A kept connection that the receiver closed meanwhile says nothing about this delivery.
        if (again && request.reusedSocket && error.code === 'ECONNRESET') send(false);
        else resolve({ status: null, error: error.code ?? error.message });
      });
      request.end(body);
    };
    try {
      send(true);
    } catch (error) {
      resolve({ status: null, error: String(error) });
    }
  });
}
