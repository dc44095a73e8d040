/** What the assistant answers each person, so that many people can share one world. */
import type { AssistantAnswer, AssistantRequest, FakeAssistant, Scripted } from '#testing';

export type Answer = Scripted<AssistantRequest, AssistantAnswer>;

export class AnswersByPerson {
  private readonly queued = new Map<string, Answer[]>();

  constructor(private readonly assistant: FakeAssistant) {
    assistant.always((request, index) => this.answer(request, index));
  }

  /** The next answers to this person, one each; after them the assistant repeats what was said. */
  queue(phone: string, answers: Answer[]): void {
    this.queued.set(phone, [...(this.queued.get(phone) ?? []), ...answers]);
  }

  /** What the assistant was asked about this person, oldest first. */
  asked(phone: string): AssistantRequest[] {
    return this.assistant.requests.filter((request) => phonesOf(request).includes(phone));
  }

  private answer(request: AssistantRequest, index: number): AssistantAnswer | Promise<AssistantAnswer> {
    for (const phone of phonesOf(request)) {
      const scripted = this.queued.get(phone)?.shift();
      if (scripted !== undefined) return typeof scripted === 'function' ? scripted(request, index) : scripted;
    }
    return { parts: [`You said: ${request.turn.messages.map((message) => message.text ?? message.type).join(' / ')}`] };
  }
}

function phonesOf({ turn }: AssistantRequest): string[] {
  const aliases = turn.conversation.contact.aliases as { kind: string; value: string }[];
  return aliases.filter((alias) => alias.kind === 'phone').map((alias) => alias.value);
}
