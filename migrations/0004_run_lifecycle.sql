CREATE TABLE `quality_results` (
	`workspace_key` text NOT NULL,
	`kind` text NOT NULL,
	`result_key` text NOT NULL,
	`result` text NOT NULL,
	`used_at` integer NOT NULL,
	PRIMARY KEY(`workspace_key`, `kind`, `result_key`),
	FOREIGN KEY (`workspace_key`) REFERENCES `workspaces`(`key`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `quality_results_used` ON `quality_results` (`kind`,`used_at`);--> statement-breakpoint
INSERT INTO `quality_results`("workspace_key", "kind", "result_key", "result", "used_at")
SELECT "workspace_key", 'run', "tree_sha" || ' ' || "engine" || ' ' || "signature", "run", "used_at" FROM `engine_runs`
UNION ALL SELECT "workspace_key", 'invocation', "cache_key", "invocation", "used_at" FROM `engine_cache`
UNION ALL SELECT "workspace_key", 'budgets', "base_tree" || ' ' || "engine" || ' ' || "signature", "budgets", "used_at"
	FROM `quality_budgets`;--> statement-breakpoint
DROP TABLE `engine_cache`;--> statement-breakpoint
DROP TABLE `engine_runs`;--> statement-breakpoint
DROP TABLE `quality_budgets`;--> statement-breakpoint
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_intents` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`unique_key` text NOT NULL,
	`workspace_key` text NOT NULL,
	`session_id` text,
	`effect` text NOT NULL,
	`created_at` integer NOT NULL,
	`settled_at` integer,
	`outcome` text,
	FOREIGN KEY (`workspace_key`) REFERENCES `workspaces`(`key`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
INSERT INTO `__new_intents`("id", "kind", "unique_key", "workspace_key", "session_id", "effect", "created_at", "settled_at", "outcome") SELECT "id", "kind", "unique_key", "workspace_key", "session_id", "effect", "created_at", "settled_at", "outcome" FROM `intents`;--> statement-breakpoint
DROP TABLE `intents`;--> statement-breakpoint
ALTER TABLE `__new_intents` RENAME TO `intents`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE UNIQUE INDEX `intents_unique_key` ON `intents` (`kind`,`unique_key`);--> statement-breakpoint
CREATE INDEX `intents_open` ON `intents` (`session_id`) WHERE settled_at is null;--> statement-breakpoint
CREATE INDEX `intents_answers` ON `intents` (`workspace_key`) WHERE kind = 'answer';--> statement-breakpoint
CREATE INDEX `intents_asks` ON `intents` (`workspace_key`) WHERE kind in ('rerun', 'update_branch');--> statement-breakpoint
ALTER TABLE `workspaces` ADD `fresh_starts` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
INSERT INTO `intents`("kind", "unique_key", "workspace_key", "effect", "created_at", "settled_at", "outcome")
SELECT 'rerun', "key" || ' 0 ' || json_extract("rerun", '$.headSha') || ' ' || json_extract("rerun", '$.ciRunId'), "key",
	json_object('kind', 'rerun', 'freshStart', 0, 'headSha', json_extract("rerun", '$.headSha'),
		'ciRunId', json_extract("rerun", '$.ciRunId'), 'names', json(json_extract("rerun", '$.names'))),
	json_extract("rerun", '$.at'), json_extract("rerun", '$.at'),
	CASE json_extract("rerun", '$.at') WHEN 0 THEN 'refused' ELSE 'asked' END
FROM `workspaces` WHERE "rerun" IS NOT NULL;--> statement-breakpoint
INSERT INTO `intents`("kind", "unique_key", "workspace_key", "effect", "created_at", "settled_at", "outcome")
SELECT 'update_branch', "key" || ' 0 ' || json_extract("branch_update", '$.baseSha'), "key",
	json_object('kind', 'update_branch', 'freshStart', 0, 'headSha', json_extract("branch_update", '$.headSha'),
		'baseSha', json_extract("branch_update", '$.baseSha'), 'ciRunId', json_extract("branch_update", '$.ciRunId')),
	json_extract("branch_update", '$.at'), json_extract("branch_update", '$.at'),
	CASE json_extract("branch_update", '$.at') WHEN 0 THEN 'refused' ELSE 'asked' END
FROM `workspaces` WHERE "branch_update" IS NOT NULL;--> statement-breakpoint
ALTER TABLE `workspaces` DROP COLUMN `rerun`;--> statement-breakpoint
ALTER TABLE `workspaces` DROP COLUMN `branch_update`;