/** The policy of one chat: the environment's, what the account's row says, and what a function of the embedder says. */
import { MAIN_THREAD, policyFor, type LockFacts, type LockScope, type OverlapSettings, type Policy } from '#domain';
import type { AccountDirectory } from './accounts.js';

/** For those who embed oneturn: choices that depend on the chat. A class, so that it is its own injection token. */
export abstract class PolicyChoices {
  /** Overrides the account's strategy and its options; undefined: the account's apply. */
  abstract overlap?(chat: LockFacts): OverlapSettings | undefined;
  /** Overrides the account's lock scope. */
  abstract lockScope?(chat: LockFacts): LockScope;
}

/** A chat as the tables know it. */
export interface ChatOf {
  accountId: string;
  /** `main` where the chat has no topics. */
  thread: string;
  groupId: string | null;
  /** What the channel calls a person, for chats that are no groups. */
  person: string | null;
}

export function lockFactsOf(accounts: AccountDirectory, chat: ChatOf): LockFacts {
  const account = accounts.findById(chat.accountId);
  return {
    account: { channel: account?.channel ?? 'whatsapp', externalId: account?.externalId ?? '' },
    threadId: chat.thread === MAIN_THREAD ? null : chat.thread,
    channelId: chat.groupId ?? chat.person ?? '',
    isDM: chat.groupId === null,
  };
}

/** @param choices the embedder's, if any. */
export function policyOfChat(
  accounts: AccountDirectory,
  base: Policy,
  choices: Partial<PolicyChoices> | undefined,
  chat: ChatOf,
): Policy {
  const policy = policyFor(base, accounts.findById(chat.accountId)?.overrides ?? {});
  const chosen = choices?.overlap?.(lockFactsOf(accounts, chat));
  return chosen ? { ...policy, ...chosen } : policy;
}
