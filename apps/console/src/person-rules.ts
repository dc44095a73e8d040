import { Inject, Injectable } from '@nestjs/common';
import { driverFor } from '#channels';
import type { Channel } from '#domain';
import { policyOfEnv, type AuditRules, type LimitsOf, type PersonRules } from '#inbox';
import { Env } from '#process';

/** What the environment and the channels say about how a person's words are handled. */
@Injectable()
export class PersonRulesOf {
  readonly person: PersonRules;
  readonly audit: AuditRules;

  constructor(@Inject(Env) env: Env) {
    this.person = { policy: policyOfEnv(env), limitsOf, takeoverMs: env.TAKEOVER_TIMEOUT_MS };
    this.audit = { maxWaitMs: env.MAX_WAIT_MS, unknownWaitMs: env.UNKNOWN_WAIT_MS };
  }
}

const limitsOf: LimitsOf = (channel) => driverFor(channel as Channel)?.limits ?? null;
