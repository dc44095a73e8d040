export { createAssistant, type AssistantOptions } from './create-assistant.js';
export { handToPersonTool } from './hand-to-person-tool.js';
export { openingHoursTool, type WeekHours } from './opening-hours-tool.js';
export { staySilentTool } from './stay-silent-tool.js';
