import { AccountDirectory, claimParts, claimTurns, policyOfEnv, readyBatches, readyParts, takeOver } from '#inbox';
import { monotonicMs, readEnv } from '#process';
import {
  eventually,
  startFakeAssistant,
  startScriptedServer,
  testDatabase,
  testRedis,
  type FakeAssistant,
  type ScriptedServer,
  type TestDatabase,
} from '#testing';
import { startResponder, type ResponderKit } from '../specs/responder-kit.js';
import { DeliverPart } from './deliver-part.js';
import { RunTurn } from './run-turn.js';

let database: TestDatabase;
let assistant: FakeAssistant;
let channel: ScriptedServer;
let kit: ResponderKit;

beforeEach(async () => {
  database = await testDatabase();
  assistant = await startFakeAssistant();
  channel = await startScriptedServer((_request, index) => ({ body: { messages: [{ id: `wamid.${index}` }] } }));
  const peers = { assistantUrl: assistant.url, channelUrl: channel.url };
  kit = await startResponder(database.url, await testRedis(), peers);
  await eventually(async () => (await fetch(`${kit.app.url}/health/ready`)).ok);
});
afterEach(async () => {
  await kit.close();
  await Promise.all([assistant.close(), channel.close()]);
  await database.drop();
});

interface Sent {
  text?: { body: string };
  status?: string;
  typing_indicator?: object;
  biz_opaque_callback_data?: string;
}
const posted = (): Sent[] => channel.requests.map((request) => request.body as Sent);
const texts = (): string[] => posted().flatMap((body) => body.text?.body ?? []);
const ended = (batchId: string, state: string) =>
  eventually(
    async () => (await kit.sql('SELECT FROM batch WHERE id = $1 AND state = $2', [batchId, state])).length === 1,
  );

it('a due batch: read mark and typing, one turn with its texts, the parts in order with their trackers', async () => {
  assistant.always({ parts: ['one', 'two', 'three'] });
  await kit.due(['hi', 'quick question']);
  await eventually(() => texts().length === 3);
  await eventually(async () => (await kit.sql(`SELECT FROM part WHERE state = 'accepted'`)).length === 3);
  expect(assistant.requests).toHaveLength(1);
  expect(assistant.requests[0]!.turn.messages.map(({ text }) => text)).toEqual(['hi', 'quick question']);
  expect(posted()[0]).toMatchObject({ status: 'read', message_id: expect.stringMatching(/-2$/), typing_indicator: {} });
  expect(texts()).toEqual(['one', 'two', 'three']);
  const rows = await kit.sql('SELECT text, tracker FROM part ORDER BY index');
  expect(rows).toEqual(
    posted().flatMap((body) => (body.text ? { text: body.text.body, tracker: body.biz_opaque_callback_data } : [])),
  );
});

it('an account that was added a moment ago is answered for, with its own token', async () => {
  await kit.sql(`INSERT INTO account (tenant_id, key, channel, external_id, access_token, app_secrets, api_url, api_version)
    SELECT tenant_id, 'whatsapp:2', channel, '2', 'other-token', app_secrets, api_url, api_version FROM account`);
  await kit.due(['hi'], '2');
  await eventually(() => texts().length === 1);
  expect(channel.requests.at(-1)).toMatchObject({ headers: { authorization: 'Bearer other-token' } });
  expect(await kit.sql('SELECT outcome FROM turn')).toEqual([{ outcome: 'replied' }]);
  expect(await kit.sql('SELECT FROM review')).toEqual([]);
});

it('a turn whose conversation is taken over is stopped in the middle, and says nothing', async () => {
  assistant.always({ fault: 'hang' });
  const batchId = await kit.due(['hi']);
  const [request] = await eventually(() => assistant.requests.length > 0 && assistant.requests);
  await takeOver(kit.db, '1', 'Ben', 60_000);
  await eventually(() => request!.http.aborted);
  await ended(batchId, 'human');
  expect(texts()).toEqual([]);
  expect(await kit.sql('SELECT outcome FROM turn')).toEqual([{ outcome: 'taken-over' }]);
});

it('a turn that lasts too long fails; after the last attempt a person is told why', async () => {
  assistant.always({ fault: 'hang' });
  await ended(await kit.due(['hi']), 'review');
  expect(assistant.requests).toHaveLength(2);
  expect(await kit.sql('SELECT reason, detail FROM review')).toEqual([
    { reason: 'turn-failed', detail: expect.stringMatching(/^2 attempts failed.*TURN_MAX_MS/) },
  ]);
});

it('a batch that cannot be read is a person’s case; its neighbours are answered', async () => {
  // It is old, so that already the claim has to read the text that is not there.
  const broken = await kit.due([null, 'fresh']);
  const fine = await kit.due(['hi']);
  await ended(fine, 'replied');
  await ended(broken, 'review');
  await eventually(() => texts().length > 0);
  expect(texts()).toEqual(['You said: hi']);
  expect(await kit.sql('SELECT reason, batch_id::text AS batch FROM review')).toEqual([
    { reason: 'turn-failed', batch: broken },
  ]);
});

it('a finish whose connection is lost is looked up and done once', async () => {
  const other = await kit.db.pool.connect();
  await other.query('BEGIN; LOCK TABLE part IN SHARE MODE');
  assistant.always({ parts: ['one', 'two'] });
  const batchId = await kit.due(['hi']);
  // Cuts the connection on which the finish waits for the table.
  await eventually(async () => {
    const cut = await kit.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
       AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO part%'`,
    );
    return cut.length > 0;
  });
  await other.query('COMMIT');
  other.release();
  await ended(batchId, 'replied');
  await eventually(() => texts().length === 2);
  expect(texts()).toEqual(['one', 'two']);
  expect(assistant.requests).toHaveLength(1);
});

it('a sender that was frozen since the claim sends nothing', async () => {
  await kit.app.drain();
  const batchId = await kit.due(['hi']);
  await kit.sql(
    `INSERT INTO part (conversation_id, thread, batch_id, reply, index, author, text, state, next_attempt_at, created_at)
     VALUES (1, 'main', $1, 1, 0, 'assistant', 'late', 'pending', oneturn_now(), oneturn_now())`,
    [batchId],
  );
  const options = { holder: 'h', leaseMs: 60_000, gapMs: 0, serviceWindowMs: () => null };
  const { parts } = await claimParts(kit.db, await readyParts(kit.db, 5), options);
  await kit.app.app.get(DeliverPart).run(parts[0]!, { passed: () => true });
  expect(texts()).toEqual([]);
  expect(await kit.sql('SELECT state, attempts FROM part')).toEqual([{ state: 'pending', attempts: 0 }]);
});

it('a turn that was frozen since the claim asks nobody', async () => {
  await kit.app.drain();
  const batchId = await kit.due(['hi']);
  const { app } = kit.app;
  const claim = { holder: 'h', leaseMs: 60_000, policy: policyOfEnv(readEnv({})), maxTurnsPerDay: 9 };
  const { turns } = await claimTurns(kit.db, app.get(AccountDirectory), await readyBatches(kit.db.prisma, 5), claim);
  await app.get(RunTurn).run(turns[0]!, monotonicMs() - 3_600_000);
  expect(assistant.requests).toEqual([]);
  const [turn] = await kit.sql('SELECT outcome, error FROM turn WHERE batch_id = $1', [batchId]);
  expect(turn).toMatchObject({ error: 'the lease ran out' });
});

it('a graceful stop gives back the lease of a turn that does not end in time', async () => {
  assistant.always({ fault: 'hang' });
  const batchId = await kit.due(['hi']);
  const [request] = await eventually(() => assistant.requests.length > 0 && assistant.requests);
  await kit.app.drain();
  await eventually(() => request!.http.aborted);
  expect(
    await kit.sql('SELECT state, lease_until <= oneturn_now() AS free, attempts FROM batch WHERE id = $1', [batchId]),
  ).toEqual([{ state: 'running', free: true, attempts: 1 }]);
});
