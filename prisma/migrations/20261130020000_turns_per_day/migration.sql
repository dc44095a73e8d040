-- AlterTable
ALTER TABLE "conversation" ADD COLUMN     "turn_day" DATE,
ADD COLUMN     "turns_today" INTEGER NOT NULL DEFAULT 0;
