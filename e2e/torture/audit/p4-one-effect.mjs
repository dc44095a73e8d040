/** P4: a tool's effect happens once per batch, however often the batch is retried and however the model words it. */
import { groupBy, violation } from './facts.mjs';

export function oneEffect(facts) {
  const effects = groupBy(facts.tables.effects, (effect) => `${effect.tool} ${effect.key.split(':')[0]}`);
  const called = calledTools(facts);
  return [
    ...[...effects]
      .filter(([, rows]) => rows.length > 1)
      .map(([what, rows]) => violation('an effect happened twice', what, rows)),
    ...[...called].flatMap(([batch, tools]) => {
      if (facts.batches.get(batch)?.state !== 'replied') return [];
      return [...tools]
        .filter((tool) => !effects.has(`${tool} ${batch}`))
        .map((tool) => violation('answered without its effect', batch, tool));
    }),
    ...startedTwice(facts),
  ];
}

/** By batch: what the model called, in any of its attempts, and the responder took note of. */
function calledTools(facts) {
  const tools = new Map();
  for (const { batch, kind, call, effect } of facts.tables.steps) {
    if (kind !== 'tool' || effect !== 'effectful') continue;
    tools.set(batch, (tools.get(batch) ?? new Set()).add(call.name));
  }
  return tools;
}

/** One key per tool and batch: a second key would be a second effect in a system that is not ours. */
function startedTwice(facts) {
  const calls = facts.tables.steps.filter(({ kind, effect }) => kind === 'tool' && effect === 'effectful');
  return [...groupBy(calls, ({ batch, call }) => `${call.name} of batch ${batch}`)].flatMap(([what, steps]) =>
    new Set(steps.map(({ call }) => call.key)).size > 1 ? [violation('one tool under two keys', what, steps)] : [],
  );
}
