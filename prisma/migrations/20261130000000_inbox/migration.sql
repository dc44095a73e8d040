-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "tenant" (
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tenant_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "account" (
    "id" BIGSERIAL NOT NULL,
    "tenant_id" BIGINT NOT NULL,
    "key" TEXT NOT NULL,
    "channel" TEXT NOT NULL,
    "external_id" TEXT NOT NULL,
    "access_token" TEXT NOT NULL,
    "app_secrets" TEXT[],
    "verify_token" TEXT,
    "api_url" TEXT NOT NULL,
    "api_version" TEXT NOT NULL,
    "instructions" TEXT,
    "policy" JSONB NOT NULL DEFAULT '{}',
    "paused_at" TIMESTAMPTZ(3),
    "paused_reason" TEXT,
    "backoff_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "conversation" (
    "id" BIGSERIAL NOT NULL,
    "account_id" BIGINT NOT NULL,
    "lock_key" TEXT NOT NULL,
    "name" TEXT,
    "phone" TEXT,
    "user_id" TEXT,
    "group_id" TEXT,
    "last_inbound_at" TIMESTAMPTZ(3),
    "last_inbound_id" TEXT,
    "taken_over_at" TIMESTAMPTZ(3),
    "taken_over_by" TEXT,
    "takeover_until" TIMESTAMPTZ(3),
    "operator_at" TIMESTAMPTZ(3),
    "next_send_at" TIMESTAMPTZ(3),
    "merged_into_id" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "conversation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "contact_alias" (
    "account_id" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "conversation_id" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "contact_alias_pkey" PRIMARY KEY ("account_id","kind","value")
);

-- CreateTable
CREATE TABLE "event" (
    "id" BIGSERIAL NOT NULL,
    "account_key" TEXT NOT NULL,
    "external_id" TEXT NOT NULL,
    "account_id" BIGINT,
    "kind" TEXT NOT NULL,
    "provider_at" TIMESTAMPTZ(3),
    "arrived_at" TIMESTAMPTZ(3) NOT NULL,
    "arrival_process" TEXT NOT NULL,
    "arrival_group" BIGINT NOT NULL,
    "arrival_index" INTEGER NOT NULL,
    "content_hash" TEXT NOT NULL,
    "raw" BYTEA NOT NULL,
    "parsed" JSONB,
    "conversation_id" BIGINT,
    "thread" TEXT,
    "batch_id" BIGINT,
    "routed_at" TIMESTAMPTZ(3),
    "outcome" TEXT,
    "reason" TEXT,
    "outcome_at" TIMESTAMPTZ(3),

    CONSTRAINT "event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event_variant" (
    "id" BIGSERIAL NOT NULL,
    "account_key" TEXT NOT NULL,
    "external_id" TEXT NOT NULL,
    "content_hash" TEXT NOT NULL,
    "raw" BYTEA NOT NULL,
    "arrived_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "event_variant_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "batch" (
    "id" BIGSERIAL NOT NULL,
    "conversation_id" BIGINT NOT NULL,
    "thread" TEXT NOT NULL,
    "slot" INTEGER NOT NULL DEFAULT 0,
    "state" TEXT NOT NULL,
    "reason" TEXT,
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "armed_until" TIMESTAMPTZ(3),
    "sealed_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "fence" BIGINT NOT NULL DEFAULT 0,
    "holder" TEXT,
    "lease_until" TIMESTAMPTZ(3),
    "last_error" TEXT,
    "replaces_id" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "batch_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "turn" (
    "id" BIGSERIAL NOT NULL,
    "batch_id" BIGINT NOT NULL,
    "attempt" INTEGER NOT NULL,
    "fence" BIGINT NOT NULL,
    "holder" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "outcome" TEXT,
    "error" TEXT,
    "draft" TEXT,
    "assistant" TEXT,
    "input_tokens" INTEGER,
    "output_tokens" INTEGER,

    CONSTRAINT "turn_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "model_step" (
    "id" BIGSERIAL NOT NULL,
    "batch_id" BIGINT NOT NULL,
    "position" INTEGER NOT NULL,
    "fence" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "content" JSONB,
    "call" JSONB,
    "effect" TEXT,
    "state" TEXT NOT NULL,
    "result" JSONB,
    "usage" JSONB,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "model_step_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "part" (
    "id" BIGSERIAL NOT NULL,
    "conversation_id" BIGINT NOT NULL,
    "thread" TEXT NOT NULL,
    "batch_id" BIGINT,
    "reply" BIGINT NOT NULL,
    "index" INTEGER NOT NULL,
    "author" TEXT NOT NULL,
    "operator" TEXT,
    "text" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "reason" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "fence" BIGINT NOT NULL DEFAULT 0,
    "holder" TEXT,
    "lease_until" TIMESTAMPTZ(3),
    "next_attempt_at" TIMESTAMPTZ(3),
    "tracker" TEXT,
    "provider_id" TEXT,
    "error_code" TEXT,
    "error" TEXT,
    "copies" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "sending_at" TIMESTAMPTZ(3),
    "unknown_at" TIMESTAMPTZ(3),
    "accepted_at" TIMESTAMPTZ(3),
    "sent_at" TIMESTAMPTZ(3),
    "delivered_at" TIMESTAMPTZ(3),
    "read_at" TIMESTAMPTZ(3),
    "failed_at" TIMESTAMPTZ(3),

    CONSTRAINT "part_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "parked_status" (
    "event_id" BIGINT NOT NULL,
    "account_key" TEXT NOT NULL,
    "provider_id" TEXT NOT NULL,
    "parked_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "parked_status_pkey" PRIMARY KEY ("event_id")
);

-- CreateTable
CREATE TABLE "review" (
    "id" BIGSERIAL NOT NULL,
    "subject" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "detail" TEXT,
    "draft" TEXT,
    "state" TEXT NOT NULL DEFAULT 'open',
    "account_id" BIGINT,
    "conversation_id" BIGINT,
    "batch_id" BIGINT,
    "part_id" BIGINT,
    "event_id" BIGINT,
    "opened_at" TIMESTAMPTZ(3) NOT NULL,
    "alerted_at" TIMESTAMPTZ(3),
    "resolved_at" TIMESTAMPTZ(3),
    "resolved_by" TEXT,
    "action" TEXT,

    CONSTRAINT "review_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "operator" (
    "id" BIGSERIAL NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT,
    "password_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "disabled_at" TIMESTAMPTZ(3),

    CONSTRAINT "operator_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "appointment" (
    "id" BIGSERIAL NOT NULL,
    "conversation_id" BIGINT NOT NULL,
    "key" TEXT NOT NULL,
    "service" TEXT,
    "starts_at" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "appointment_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "note" (
    "id" BIGSERIAL NOT NULL,
    "conversation_id" BIGINT NOT NULL,
    "key" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "note_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "tenant_name_key" ON "tenant"("name");

-- CreateIndex
CREATE UNIQUE INDEX "account_key_key" ON "account"("key");

-- CreateIndex
CREATE INDEX "conversation_taken_over" ON "conversation"("takeover_until") WHERE (taken_over_at IS NOT NULL);

-- CreateIndex
CREATE INDEX "conversation_merged" ON "conversation"("merged_into_id") WHERE (merged_into_id IS NOT NULL);

-- CreateIndex
CREATE UNIQUE INDEX "conversation_account_id_lock_key_key" ON "conversation"("account_id", "lock_key");

-- CreateIndex
CREATE INDEX "contact_alias_conversation_id_idx" ON "contact_alias"("conversation_id");

-- CreateIndex
CREATE INDEX "event_unrouted" ON "event"("id") WHERE (routed_at IS NULL);

-- CreateIndex
CREATE INDEX "event_conversation" ON "event"("conversation_id", "id") WHERE (conversation_id IS NOT NULL);

-- CreateIndex
CREATE INDEX "event_batch" ON "event"("batch_id") WHERE (batch_id IS NOT NULL);

-- CreateIndex
CREATE INDEX "event_waiting" ON "event"("routed_at") WHERE (routed_at IS NOT NULL AND outcome IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "event_account_key_external_id_key" ON "event"("account_key", "external_id");

-- CreateIndex
CREATE UNIQUE INDEX "event_variant_account_key_external_id_content_hash_key" ON "event_variant"("account_key", "external_id", "content_hash");

-- CreateIndex
CREATE INDEX "batch_conversation_id_id_idx" ON "batch"("conversation_id", "id");

-- CreateIndex
CREATE INDEX "batch_due" ON "batch"("due_at") WHERE (state = 'collecting');

-- CreateIndex
CREATE INDEX "batch_retry" ON "batch"("next_attempt_at") WHERE (state = 'retry_wait');

-- CreateIndex
CREATE INDEX "batch_lease" ON "batch"("lease_until") WHERE (state = 'running');

-- CreateIndex
CREATE UNIQUE INDEX "batch_one_collecting" ON "batch"("conversation_id", "thread") WHERE (state = 'collecting');

-- CreateIndex
CREATE UNIQUE INDEX "batch_one_turn" ON "batch"("conversation_id", "slot") WHERE (state IN ('running', 'retry_wait'));

-- CreateIndex
CREATE UNIQUE INDEX "turn_batch_id_fence_key" ON "turn"("batch_id", "fence");

-- CreateIndex
CREATE UNIQUE INDEX "model_step_batch_id_position_key" ON "model_step"("batch_id", "position");

-- CreateIndex
CREATE INDEX "part_conversation_id_reply_index_idx" ON "part"("conversation_id", "reply", "index");

-- CreateIndex
CREATE INDEX "part_provider_id" ON "part"("provider_id") WHERE (provider_id IS NOT NULL);

-- CreateIndex
CREATE INDEX "part_pending" ON "part"("next_attempt_at") WHERE (state = 'pending');

-- CreateIndex
CREATE INDEX "part_sending" ON "part"("lease_until") WHERE (state = 'sending');

-- CreateIndex
CREATE INDEX "part_unknown" ON "part"("unknown_at") WHERE (state = 'unknown');

-- CreateIndex
CREATE INDEX "part_unsettled" ON "part"("conversation_id") WHERE (state IN ('pending', 'sending') OR (state = 'unknown' AND reason IS DISTINCT FROM 'in-review'));

-- CreateIndex
CREATE UNIQUE INDEX "part_batch_id_index_key" ON "part"("batch_id", "index");

-- CreateIndex
CREATE INDEX "parked_status_account_key_provider_id_idx" ON "parked_status"("account_key", "provider_id");

-- CreateIndex
CREATE INDEX "parked_status_parked_at_idx" ON "parked_status"("parked_at");

-- CreateIndex
CREATE INDEX "review_open" ON "review"("opened_at") WHERE (state = 'open');

-- CreateIndex
CREATE INDEX "review_unannounced" ON "review"("opened_at") WHERE (alerted_at IS NULL);

-- CreateIndex
CREATE INDEX "review_conversation_id_idx" ON "review"("conversation_id");

-- CreateIndex
CREATE UNIQUE INDEX "review_one_open" ON "review"("subject", "reason") WHERE (state = 'open');

-- CreateIndex
CREATE UNIQUE INDEX "operator_email_key" ON "operator"("email");

-- CreateIndex
CREATE UNIQUE INDEX "appointment_key_key" ON "appointment"("key");

-- CreateIndex
CREATE UNIQUE INDEX "note_key_key" ON "note"("key");

-- AddForeignKey
ALTER TABLE "account" ADD CONSTRAINT "account_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conversation" ADD CONSTRAINT "conversation_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_alias" ADD CONSTRAINT "contact_alias_conversation_id_fkey" FOREIGN KEY ("conversation_id") REFERENCES "conversation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "batch" ADD CONSTRAINT "batch_conversation_id_fkey" FOREIGN KEY ("conversation_id") REFERENCES "conversation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "turn" ADD CONSTRAINT "turn_batch_id_fkey" FOREIGN KEY ("batch_id") REFERENCES "batch"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_step" ADD CONSTRAINT "model_step_batch_id_fkey" FOREIGN KEY ("batch_id") REFERENCES "batch"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "part" ADD CONSTRAINT "part_conversation_id_fkey" FOREIGN KEY ("conversation_id") REFERENCES "conversation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "part" ADD CONSTRAINT "part_batch_id_fkey" FOREIGN KEY ("batch_id") REFERENCES "batch"("id") ON DELETE SET NULL ON UPDATE CASCADE;
-- What Prisma's schema cannot say.

-- The one clock of the system: real time, also after a wait for a lock (now() would be the time the transaction began).
-- Tests replace it with a shifted one; the services refuse to start on a replaced clock in production.
CREATE FUNCTION oneturn_now() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
  AS 'SELECT date_trunc(''milliseconds'', clock_timestamp())';

CREATE FUNCTION epoch_ms(timestamptz) RETURNS double precision LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS 'SELECT trunc(extract(epoch FROM $1) * 1000)::double precision';

CREATE FUNCTION from_epoch_ms(double precision) RETURNS timestamptz LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS 'SELECT to_timestamp($1 / 1000.0)';

CREATE SEQUENCE reply_order AS bigint;

ALTER TABLE "event" ADD CONSTRAINT event_outcome CHECK (outcome IN
  ('in_batch', 'applied', 'ignored', 'superseded', 'dropped', 'human', 'review'));
ALTER TABLE "event" ADD CONSTRAINT event_outcome_routed CHECK (outcome IS NULL OR routed_at IS NOT NULL);
ALTER TABLE "event" ADD CONSTRAINT event_in_batch CHECK (outcome <> 'in_batch' OR batch_id IS NOT NULL);
ALTER TABLE "batch" ADD CONSTRAINT batch_state CHECK (state IN
  ('collecting', 'queued', 'running', 'retry_wait', 'replied', 'silent', 'review', 'human', 'superseded'));
ALTER TABLE "batch" ADD CONSTRAINT batch_running CHECK (state <> 'running' OR (holder IS NOT NULL AND lease_until IS NOT NULL));
ALTER TABLE "batch" ADD CONSTRAINT batch_retry CHECK (state <> 'retry_wait' OR next_attempt_at IS NOT NULL);
ALTER TABLE "batch" ADD CONSTRAINT batch_final CHECK
  ((finished_at IS NOT NULL) = (state IN ('replied', 'silent', 'review', 'human', 'superseded')));
ALTER TABLE "part" ADD CONSTRAINT part_state CHECK (state IN
  ('pending', 'sending', 'accepted', 'sent', 'delivered', 'read', 'failed', 'unknown', 'held'));
ALTER TABLE "part" ADD CONSTRAINT part_sending CHECK (state <> 'sending' OR (holder IS NOT NULL AND lease_until IS NOT NULL));
ALTER TABLE "part" ADD CONSTRAINT part_pending CHECK (state <> 'pending' OR next_attempt_at IS NOT NULL);
ALTER TABLE "part" ADD CONSTRAINT part_accepted CHECK (state NOT IN ('accepted') OR provider_id IS NOT NULL);
ALTER TABLE "part" ADD CONSTRAINT part_author CHECK (author IN ('assistant', 'operator'));
ALTER TABLE "review" ADD CONSTRAINT review_state CHECK (state IN ('open', 'resolved'));
ALTER TABLE "model_step" ADD CONSTRAINT model_step_state CHECK (state IN ('started', 'finished'));

-- Rows that change often find room on their page, so that an update touches no index.
ALTER TABLE "batch" SET (fillfactor = 80);
ALTER TABLE "part" SET (fillfactor = 80);
ALTER TABLE "conversation" SET (fillfactor = 80);
