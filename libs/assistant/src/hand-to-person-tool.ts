import type { Tool } from '#domain';

/** The loop ends the turn when a call of it has succeeded. */
export const HAND_TO_PERSON = 'hand_to_person';

/** Opens a review instead of a reply. */
export const handToPersonTool: Tool = {
  name: HAND_TO_PERSON,
  description:
    'Hands the conversation to a person of the business instead of answering. Use it when the customer asks for a ' +
    'person, or when you cannot help with what you know.',
  parameters: {
    type: 'object',
    properties: { why: { type: 'string', minLength: 1, description: 'What the person should know, in one sentence' } },
    required: ['why'],
    additionalProperties: false,
  },
  effect: 'read-only',
  run: (args) => Promise.resolve({ handedOver: true, why: args['why'] ?? '' }),
};
