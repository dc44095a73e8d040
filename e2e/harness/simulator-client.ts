/** The simulator's control API, as the tests use it. */
import type { RunningService } from '#testing';

export interface ApiCall {
  n: number;
  at: number;
  answeredAt: number | null;
  kind: 'send' | 'read' | 'typing';
  to: string | null;
  text: string | null;
  tracker: string | null;
  accepted: boolean;
  wamid: string | null;
  status: number | 'cut' | null;
}

export interface ChatEntry {
  id: string;
  direction: 'in' | 'out';
  at: number;
  text: string | null;
  tick?: string;
  tracker?: string;
  read?: boolean;
}

export class SimulatorClient {
  readonly url: string;

  constructor(readonly service: RunningService) {
    this.url = service.url;
  }

  async control<T>(path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST'): Promise<T> {
    const response = await fetch(`${this.url}/control/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`control/${path} answered ${response.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  /** Where the account of `env` gets its webhooks. */
  async deliverTo(webhookUrl: string, env: Record<string, string>): Promise<void> {
    await this.control('accounts', {
      phoneNumberId: env['WHATSAPP_PHONE_NUMBER_ID'],
      accessToken: env['WHATSAPP_ACCESS_TOKEN'],
      appSecret: env['WHATSAPP_APP_SECRET'],
      webhookUrl,
    });
  }

  /** Scripts what the next calls or deliveries do; see the simulator's fault kinds. */
  fault(fault: Record<string, unknown> | Record<string, unknown>[]): Promise<unknown> {
    return this.control('faults', fault);
  }

  async calls(filter: { to?: string; kind?: ApiCall['kind'] } = {}): Promise<ApiCall[]> {
    const query = new URLSearchParams(Object.entries(filter));
    const answer = await this.control<ApiCall[] | { calls: ApiCall[] }>(`log?${query.toString()}`);
    return Array.isArray(answer) ? answer : answer.calls;
  }

  async chat(person: string): Promise<ChatEntry[]> {
    const answer = await this.control<{ entries: ChatEntry[] }>(`chats/${person}`);
    return answer.entries;
  }
}
