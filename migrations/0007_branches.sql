CREATE TABLE `branches` (
	`repository_id` integer NOT NULL,
	`ref` text NOT NULL,
	`ratchet_last_ci_run_id` text,
	`ratchet_stale_ci_since` integer,
	`ratchet_last_push_at` integer,
	`ratchet_last_push_sha` text,
	`ratchet_consecutive_fixup_attempts` integer DEFAULT 0 NOT NULL,
	`fresh_starts` integer DEFAULT 0 NOT NULL,
	`settled_head_sha` text,
	`open_push` text,
	`asked_at` integer,
	`taken_back` text,
	PRIMARY KEY(`repository_id`, `ref`),
	FOREIGN KEY (`repository_id`) REFERENCES `repositories`(`repository_id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
INSERT INTO `branches`("repository_id", "ref", "ratchet_last_ci_run_id", "ratchet_stale_ci_since", "ratchet_last_push_at",
	"ratchet_last_push_sha", "ratchet_consecutive_fixup_attempts", "fresh_starts", "settled_head_sha")
SELECT "repository_id", "ref", "ratchet_last_ci_run_id", "ratchet_stale_ci_since", "ratchet_last_push_at",
	"ratchet_last_push_sha", "attempts", "starts", "seen_head_sha"
FROM (
	SELECT *, coalesce("head_ref", ':' || "number") AS "ref",
		max("ratchet_consecutive_fixup_attempts") OVER (
			PARTITION BY "repository_id", coalesce("head_ref", ':' || "number"), "ratchet_state" = 'closed'
		) AS "attempts",
		max("fresh_starts") OVER (PARTITION BY "repository_id", coalesce("head_ref", ':' || "number")) AS "starts",
		row_number() OVER (
			PARTITION BY "repository_id", coalesce("head_ref", ':' || "number")
			ORDER BY "ratchet_state" = 'closed', "ratchet_last_push_at" DESC, "ratchet_last_checked_at" DESC, "number"
		) AS "place"
	FROM `workspaces` WHERE "enablement" <> 'never'
) WHERE "place" = 1;
--> statement-breakpoint
ALTER TABLE `workspaces` DROP COLUMN `ratchet_last_ci_run_id`;--> statement-breakpoint
ALTER TABLE `workspaces` DROP COLUMN `ratchet_stale_ci_since`;--> statement-breakpoint
ALTER TABLE `workspaces` DROP COLUMN `ratchet_last_push_at`;--> statement-breakpoint
ALTER TABLE `workspaces` DROP COLUMN `ratchet_last_push_sha`;--> statement-breakpoint
ALTER TABLE `workspaces` DROP COLUMN `ratchet_consecutive_fixup_attempts`;--> statement-breakpoint
ALTER TABLE `workspaces` DROP COLUMN `fresh_starts`;