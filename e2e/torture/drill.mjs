/** Recovery times, each measured alone: the only responder killed in a turn, and Redis emptied or gone. */
import { setTimeout as delay } from 'node:timers/promises';
import { ACCOUNTS } from './lab/lab.mjs';
import { tokenOf } from './lab/model.mjs';

const ROUNDS = 4;
/** Turns that one responder runs at once. */
const AT_ONCE = 5;
const WAIT_MS = 30_000;

/**
 * @returns {Promise<{said: object[], killToReply: number[], dueToStart: {gone: number[], emptied: number[]}}>} ms
 */
export async function drill(lab, { seed }, say) {
  say('recovery: the only responder is killed in its turns, then Redis is taken away');
  const said = [];
  const write = async (text) => {
    const number = 900_000 + said.length;
    const message = { id: `wamid.DRILL${seed}.${number}`, token: `[m${number}]`, account: ACCOUNTS[0].externalId };
    Object.assign(message, { phone: `1555040${1000 + said.length}`, at: Math.floor(Date.now() / 1000) * 1000 });
    said.push(message);
    const { id, phone, account } = message;
    await lab.simulator.control('messages', { account, from: phone, id, text: `${text} ${message.token}` });
    return message;
  };
  const killToReply = await killOnlyResponder(lab, write);
  const dueToStart = lab.redis ? await loseRedis(lab, write) : { gone: [], emptied: [] };
  return { said, killToReply, dueToStart };
}

async function killOnlyResponder(lab, write) {
  await lab.crew.end('responder-2', 'SIGTERM');
  const took = [];
  for (let round = 0; round < ROUNDS; round++) {
    lab.model.inject('slow', AT_ONCE);
    const messages = await Promise.all(Array.from({ length: AT_ONCE }, () => write('hello')));
    await until(() => lab.model.open().length === AT_ONCE);
    const struck = new Set(lab.model.open().map(({ tokens }) => tokens.at(-1)));
    lab.model.calm();
    const killedAt = Date.now();
    await lab.crew.end('responder-1', 'SIGKILL');
    await lab.crew.start('responder-1');
    for (const { token } of messages.filter((message) => struck.has(message.token))) {
      const reply = await until(async () =>
        (await lab.simulator.control('log?kind=send')).find(
          (call) => call.accepted && tokenOf(call.text ?? '') === token,
        ),
      );
      took.push((reply?.answeredAt ?? Infinity) - killedAt);
    }
  }
  await lab.crew.start('responder-2');
  await lab.crew.ready('responder-2');
  return took;
}

async function loseRedis(lab, write) {
  const measure = async (lose) => {
    const messages = await Promise.all(Array.from({ length: 2 * AT_ONCE }, () => write('hello')));
    await until(async () => (await batchesOf(lab, messages)).length === messages.length);
    await lose();
    const batches = await until(async () => {
      const rows = await batchesOf(lab, messages);
      return rows.every((row) => row.startedAt !== null) && rows;
    });
    return (batches || []).map((row) => row.startedAt - row.dueAt);
  };
  const emptied = [...(await measure(() => lab.redis.flush())), ...(await measure(() => lab.redis.flush()))];
  await lab.redis.kill();
  await delay(500);
  const gone = [...(await measure(async () => {})), ...(await measure(async () => {}))];
  await lab.redis.restart();
  return { gone, emptied };
}

function batchesOf(lab, messages) {
  return lab.postgres.rows(
    `SELECT epoch_ms(b.due_at) AS "dueAt", (SELECT min(epoch_ms(t.started_at)) FROM turn t WHERE t.batch_id = b.id) AS "startedAt"
     FROM event e JOIN batch b ON b.id = e.batch_id WHERE e.external_id = ANY($1)`,
    [messages.map(({ id }) => id)],
  );
}

/** Undefined or false when it did not come about in time: the figures then show it. */
async function until(probe) {
  for (const deadline = Date.now() + WAIT_MS; Date.now() < deadline; await delay(25)) {
    const found = await probe();
    if (found) return found;
  }
  return undefined;
}
