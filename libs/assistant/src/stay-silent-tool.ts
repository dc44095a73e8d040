import type { Tool } from '#domain';

/** The loop ends the turn without a reply when a call of it has succeeded. */
export const STAY_SILENT = 'stay_silent';

/** Ends the turn without a reply. */
export const staySilentTool: Tool = {
  name: STAY_SILENT,
  description: 'Ends the turn without a reply. Use it only when nothing needs an answer, such as a plain "thank you".',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  effect: 'read-only',
  run: () => Promise.resolve({ silent: true }),
};
