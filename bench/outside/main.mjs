/**
 * Everything outside of the measured system, in a process of its own: who writes, the channel, the model. Told what to
 * do by its parent: {id, do, with}, answered by {id, result} or {id, error}.
 */
import { startChannel } from './channel.mjs';
import { burstLoad, changingLoad, groupedLoad, mixedLoad, pairLoad, spreadLoad } from './loads.mjs';
import { posterTo } from './poster.mjs';
import { Record } from './record.mjs';
import { StatusQueue, tellStatuses } from './statuses.mjs';

/** Connections that a channel opens at most. */
const connections = 256;
const settings = { modelMs: 0, silent: false, queueStatuses: false };
const queue = new StatusQueue();
const loads = {
  ...{ mixed: mixedLoad, grouped: groupedLoad, changing: changingLoad },
  ...{ burst: burstLoad, pair: pairLoad, spread: spreadLoad },
};
let record = new Record();
let post = () => Promise.resolve(null);

const orders = {
  open: async () => ({ port: await startChannel(settings, accepted) }),
  set: (some) => void Object.assign(settings, some),
  /** Where webhooks go from now on; what was seen before is forgotten. */
  aim: ({ url }) => {
    post = posterTo(url, connections);
    record = new Record();
  },
  load: async ({ kind, ...how }) => {
    const since = Date.now();
    const posts = await loads[kind](how, post, queue);
    return { since, until: Date.now(), posts };
  },
  seen: ({ run }) => record.summary(run),
};

function accepted(part) {
  record.accept(part.text);
  if (settings.queueStatuses) queue.add(part);
  else void tellStatuses(part, post, record);
}

process.on('disconnect', () => process.exit());
process.on('message', async ({ id, do: name, with: how }) => {
  try {
    process.send({ id, result: (await orders[name](how)) ?? null });
  } catch (error) {
    process.send({ id, error: error.stack });
  }
});
