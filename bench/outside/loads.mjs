/** The kinds of load: what is posted, and when. Each resolves to the posts that were made. */
import { setTimeout as delay } from 'node:timers/promises';
import { message, messageWebhook, tagOf } from '../parts/envelope.mjs';
import { openLoop, timesOf } from './open-loop.mjs';

const oneMessage = (run, number, from) => ({
  webhook: messageWebhook([from], [message(run, number, from, tagOf(run, number))]),
  kind: 'message',
});

/** One message to three statuses, and of a hundred webhooks one that was there before. */
export function mixedLoad({ run, rate, seconds, people }, post, statuses) {
  let last = null;
  return openLoop(
    timesOf([{ seconds, rate }]),
    (number) => {
      if (number % 100 === 99) return { webhook: last.webhook, kind: 'duplicate' };
      if (number % 4 > 0) return statuses.next();
      last = oneMessage(run, number / 4, (number / 4) % people);
      return last;
    },
    post,
  );
}

/** One message of each of `each` people per webhook, at `rate` messages a second. */
export function groupedLoad({ run, rate, seconds, people, each }, post) {
  return openLoop(
    timesOf([{ seconds, rate: rate / each }]),
    (number) => {
      const froms = Array.from({ length: each }, (_, index) => (number * each + index) % people);
      const messages = froms.map((from, index) => message(run, number * each + index, from, tagOf(run, number)));
      return { webhook: messageWebhook(froms, messages), kind: 'messages' };
    },
    post,
  );
}

/** Messages at a rate that changes, each person with three of them in a row. */
export function changingLoad({ run, stretches, people }, post) {
  return openLoop(timesOf(stretches), (number) => oneMessage(run, number, Math.floor(number / 3) % people), post);
}

/** A burst of `size` from each person, one message after the other, as many people at once as there are connections. */
export async function burstLoad({ run, people, size, connections }, post) {
  const posts = [];
  let next = 0;
  const write = async () => {
    while (next < people) {
      const from = next++;
      for (let index = 0; index < size; index += 1) {
        const since = performance.now();
        const status = await post(oneMessage(run, from * size + index, from).webhook);
        posts.push({ kind: 'message', at: since, ms: performance.now() - since, status });
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, write));
  return posts;
}

/**
 * Two messages of each person: the second comes about when the turn of the first ends, at `around` ms and `spread` ms
 * to either side by chance, and nothing comes after it.
 */
export async function pairLoad({ run, people, connections, around, spread }, post) {
  const posts = [];
  let next = 0;
  const write = async () => {
    while (next < people) {
      const from = next++;
      const first = post(oneMessage(run, from * 2, from).webhook);
      await delay(Math.max(0, around + (Math.random() * 2 - 1) * spread));
      for (const status of [await first, await post(oneMessage(run, from * 2 + 1, from).webhook)])
        posts.push({ kind: 'message', status });
    }
  };
  await Promise.all(Array.from({ length: connections }, write));
  return posts;
}

/** Two messages of each person, people far apart in every index. `people` and the step must have no common factor. */
export function spreadLoad({ run, rate, seconds, people }, post) {
  const step = 7_919;
  return openLoop(
    timesOf([{ seconds, rate }]),
    (number) => oneMessage(run, number, (Math.floor(number / 2) * step) % people),
    post,
  );
}
