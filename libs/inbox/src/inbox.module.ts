/** What an app imports to work on the inbox: the pool, the accounts, and a readiness check on them. */
import { Module, type DynamicModule, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { checkOverlap } from '#domain';
import { Drain, Env, LOG, Readiness, requireDatabaseUrl, RepeatingTask } from '#process';
import type { Log } from '#process';
import { accountsOfEnv } from './accounts-of-env.js';
import { AccountDirectory, ensureAccount } from './accounts.js';
import { hasRealClock } from './check-clock.js';
import { Database, openDatabase } from './database.js';

/** How often the accounts' rows are read again, ms. */
const FOLLOW_MS = 5_000;

/** Writes the environment's accounts once the database is there, and follows the table from then on. */
class InboxLife implements OnApplicationBootstrap, OnApplicationShutdown {
  private written = false;
  private readonly warned = new Set<string>();
  private readonly follow: RepeatingTask;

  constructor(
    private readonly db: Database,
    private readonly accounts: AccountDirectory,
    private readonly env: Env,
    private readonly log: Log,
    readiness: Readiness,
  ) {
    this.follow = new RepeatingTask({ name: 'accounts', everyMs: FOLLOW_MS, run: () => this.refresh(), log });
    readiness.add('postgres', () => this.check());
  }

  onApplicationBootstrap(): void {
    this.follow.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.follow.stop();
    await this.db.close();
  }

  private async refresh(): Promise<void> {
    if (!this.written) {
      await this.refuseReplacedClock();
      for (const account of accountsOfEnv(this.env)) await ensureAccount(this.db, account);
      await this.accounts.refresh(true);
      this.refuseWrongPolicies();
      this.written = true;
    }
    await this.accounts.refresh(true);
    this.warnOfUnusedOptions();
  }

  /** The database refuses them where they are written; a row that came another way must not be half obeyed. */
  private refuseWrongPolicies(): void {
    const problems = this.accounts
      .all()
      .flatMap(({ key, overrides }) =>
        checkOverlap({ ...overrides }).problems.map((problem) => `account ${key}: ${problem}`),
      );
    if (problems.length === 0) return;
    this.log.fatal({ problems }, `the policy of an account is not usable: ${problems.join('; ')}`);
    process.exit(1);
  }

  /** Once for each account and option. */
  private warnOfUnusedOptions(): void {
    for (const { key, overrides } of this.accounts.all()) {
      for (const warning of checkOverlap({ ...overrides }, this.env.OVERLAP_STRATEGY).warnings) {
        const line = `account ${key}: ${warning}`;
        if (!this.warned.has(line)) this.log.warn(line);
        this.warned.add(line);
      }
    }
  }

  /** Tests shift the database's clock by replacing one function. Nothing else may ever run on such a database. */
  private async refuseReplacedClock(): Promise<void> {
    if (this.env.NODE_ENV !== 'production' || (await hasRealClock(this.db))) return;
    this.log.fatal('the function oneturn_now() of this database is not the real clock: refusing to run in production');
    process.exit(1);
  }

  private async check(): Promise<void> {
    if (!this.written) throw new Error('the accounts have not been read yet');
    await this.db.prisma.$queryRaw`SELECT 1`;
  }
}

@Module({})
export class InboxModule {
  /** @throws EnvError without DATABASE_URL. */
  static forService(name: string, env: Readonly<Env>): DynamicModule {
    const url = requireDatabaseUrl(env);
    const database = {
      provide: Database,
      inject: [LOG],
      useFactory: (log: Log): Database =>
        openDatabase({
          url,
          poolMax: env.DATABASE_POOL_MAX,
          applicationName: `oneturn-${name}`,
          onConnectionError: (error) => log.warn({ err: error }, 'lost a connection to Postgres'),
        }),
    };
    const accounts = {
      provide: AccountDirectory,
      inject: [Database],
      useFactory: (db: Database) => new AccountDirectory(db),
    };
    const life = {
      provide: InboxLife,
      inject: [Database, AccountDirectory, Env, LOG, Readiness, Drain],
      useFactory: (db: Database, directory: AccountDirectory, given: Env, log: Log, readiness: Readiness) =>
        new InboxLife(db, directory, given, log, readiness),
    };
    return {
      module: InboxModule,
      global: true,
      providers: [database, accounts, life],
      exports: [Database, AccountDirectory],
    };
  }
}
