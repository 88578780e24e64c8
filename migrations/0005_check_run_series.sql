PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_check_runs` (
	`workspace_key` text NOT NULL,
	`head_sha` text NOT NULL,
	`name` text NOT NULL,
	`series` text NOT NULL,
	`check_run_id` integer,
	`content_hash` text,
	`completed` integer NOT NULL,
	PRIMARY KEY(`workspace_key`, `head_sha`, `name`, `series`),
	FOREIGN KEY (`workspace_key`) REFERENCES `workspaces`(`key`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
INSERT INTO `__new_check_runs`("workspace_key", "head_sha", "name", "series", "check_run_id", "content_hash", "completed") 
SELECT "workspace_key", "head_sha", "name", '', "check_run_id", "content_hash", "completed" FROM `check_runs`
UNION ALL SELECT "workspace_key", "head_sha", 'Ratchet / quality', "id", "check_run_id", NULL, "status" = 'finished'
	FROM `quality_runs` WHERE "check_run_id" IS NOT NULL;--> statement-breakpoint
DROP TABLE `check_runs`;--> statement-breakpoint
ALTER TABLE `__new_check_runs` RENAME TO `check_runs`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `check_runs_open` ON `check_runs` (`workspace_key`) WHERE completed = 0;--> statement-breakpoint
ALTER TABLE `quality_runs` DROP COLUMN `check_run_id`;