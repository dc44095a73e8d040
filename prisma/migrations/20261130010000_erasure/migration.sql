-- AlterTable
ALTER TABLE "conversation" ADD COLUMN     "erased_at" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "conversation_erased" ON "conversation"("erased_at") WHERE (erased_at IS NOT NULL);
