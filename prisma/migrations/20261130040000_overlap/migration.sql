-- DropIndex
DROP INDEX "batch_one_turn";

-- AlterTable
ALTER TABLE "batch" ADD COLUMN     "lock" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "restarts" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "slots" INTEGER NOT NULL DEFAULT 1;

-- CreateIndex
CREATE INDEX "batch_queued" ON "batch"("conversation_id") WHERE (state = 'queued');

-- CreateIndex
CREATE UNIQUE INDEX "batch_one_turn" ON "batch"("conversation_id", "lock", "slot") WHERE (state IN ('running', 'retry_wait'));

-- A turn beyond what its lock may have must not exist, whoever claims it.
ALTER TABLE "batch" ADD CONSTRAINT batch_slot CHECK (slot >= 0 AND slots >= 1 AND (slot < slots OR state NOT IN ('running', 'retry_wait')));

-- A wrong setting is refused where it is written, and the constraint names its field.
CREATE FUNCTION oneturn_whole(value jsonb, at_least int) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT value IS NULL OR (jsonb_typeof(value) = 'number' AND value::text ~ '^[0-9]{1,15}$' AND value >= to_jsonb(at_least)) $$;
ALTER TABLE "account" ADD CONSTRAINT "account_policy_strategy" CHECK (policy -> 'strategy' IS NULL OR policy -> 'strategy' IN
  ('"batch"', '"burst"', '"queue"', '"debounce"', '"drop"', '"concurrent"', '"interrupt"'));
ALTER TABLE "account" ADD CONSTRAINT "account_policy_windowMs" CHECK (oneturn_whole(policy -> 'windowMs', 0));
ALTER TABLE "account" ADD CONSTRAINT "account_policy_maxWaitMs" CHECK (oneturn_whole(policy -> 'maxWaitMs', 0));
ALTER TABLE "account" ADD CONSTRAINT "account_policy_debounceMs" CHECK (oneturn_whole(policy -> 'debounceMs', 0));
ALTER TABLE "account" ADD CONSTRAINT "account_policy_maxQueueSize" CHECK (oneturn_whole(policy -> 'maxQueueSize', 1));
ALTER TABLE "account" ADD CONSTRAINT "account_policy_onQueueFull" CHECK (policy -> 'onQueueFull' IS NULL OR policy -> 'onQueueFull' IN
  ('"drop-oldest"', '"drop-newest"'));
ALTER TABLE "account" ADD CONSTRAINT "account_policy_queueEntryTtlMs" CHECK (oneturn_whole(policy -> 'queueEntryTtlMs', 1));
ALTER TABLE "account" ADD CONSTRAINT "account_policy_maxConcurrent" CHECK (policy -> 'maxConcurrent' = 'null' OR oneturn_whole(policy -> 'maxConcurrent', 1));
ALTER TABLE "account" ADD CONSTRAINT "account_policy_maxRestarts" CHECK (oneturn_whole(policy -> 'maxRestarts', 0));
ALTER TABLE "account" ADD CONSTRAINT "account_policy_lockScope" CHECK (policy -> 'lockScope' IS NULL OR policy -> 'lockScope' IN
  ('"thread"', '"channel"'));
