import { openLoop, timesOf } from './open-loop.mjs';

it('spreads each stretch evenly, one after the other', () => {
  const times = timesOf([
    { seconds: 1, rate: 2 },
    { seconds: 0.5, rate: 4 },
  ]);
  expect([...times]).toEqual([0, 500, 1000, 1250]);
});

it('counts a latency from when the post was due, also for those that a stall held up', async () => {
  const clock = { ms: 0, now: () => clock.ms };
  // The first post stalls the generator for 100 ms, during which all the others are due.
  const post = async () => {
    if (clock.ms === 0) clock.ms = 100;
    return 200;
  };
  const posts = await openLoop(Float64Array.of(0, 40, 80), () => ({ webhook: {}, kind: 'message' }), post, clock);
  expect(posts.map(({ ms }) => ms)).toEqual([100, 60, 20]);
});

it('posts on although nothing is answered', async () => {
  let asked = 0;
  let answerAll;
  const answered = new Promise((resolve) => (answerAll = resolve));
  const post = async () => {
    asked += 1;
    if (asked === 3) answerAll();
    await answered;
    return 503;
  };
  const posts = await openLoop(Float64Array.of(0, 1, 2), () => ({ webhook: {}, kind: 'status' }), post);
  expect(posts.map(({ status }) => status)).toEqual([503, 503, 503]);
});
