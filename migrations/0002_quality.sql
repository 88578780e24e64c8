CREATE TABLE `engine_cache` (
	`workspace_key` text NOT NULL,
	`cache_key` text NOT NULL,
	`invocation` text NOT NULL,
	`used_at` integer NOT NULL,
	PRIMARY KEY(`workspace_key`, `cache_key`),
	FOREIGN KEY (`workspace_key`) REFERENCES `workspaces`(`key`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `engine_cache_used` ON `engine_cache` (`used_at`);--> statement-breakpoint
CREATE TABLE `engine_runs` (
	`workspace_key` text NOT NULL,
	`tree_sha` text NOT NULL,
	`engine` text NOT NULL,
	`signature` text NOT NULL,
	`run` text NOT NULL,
	`used_at` integer NOT NULL,
	PRIMARY KEY(`workspace_key`, `tree_sha`, `engine`, `signature`),
	FOREIGN KEY (`workspace_key`) REFERENCES `workspaces`(`key`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `engine_runs_used` ON `engine_runs` (`used_at`);--> statement-breakpoint
CREATE TABLE `quality_acceptances` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`workspace_key` text NOT NULL,
	`author_id` integer NOT NULL,
	`author_login` text NOT NULL,
	`author_kind` text NOT NULL,
	`reason` text NOT NULL,
	`head_sha` text NOT NULL,
	`findings` text NOT NULL,
	`accepted_at` integer NOT NULL,
	FOREIGN KEY (`workspace_key`) REFERENCES `workspaces`(`key`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `quality_acceptances_workspace` ON `quality_acceptances` (`workspace_key`,`id`);--> statement-breakpoint
CREATE TABLE `quality_asks` (
	`workspace_key` text PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`paths` text,
	`timeout_seconds` integer,
	`refresh` integer NOT NULL,
	`asked_at` integer NOT NULL,
	FOREIGN KEY (`workspace_key`) REFERENCES `workspaces`(`key`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `quality_budgets` (
	`workspace_key` text NOT NULL,
	`base_tree` text NOT NULL,
	`engine` text NOT NULL,
	`signature` text NOT NULL,
	`budgets` text NOT NULL,
	`used_at` integer NOT NULL,
	PRIMARY KEY(`workspace_key`, `base_tree`, `engine`, `signature`),
	FOREIGN KEY (`workspace_key`) REFERENCES `workspaces`(`key`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `quality_budgets_used` ON `quality_budgets` (`used_at`);--> statement-breakpoint
CREATE TABLE `quality_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_key` text NOT NULL,
	`head_sha` text NOT NULL,
	`want_key` text NOT NULL,
	`status` text NOT NULL,
	`check_run_id` integer,
	`conclusion` text,
	`new_findings` text NOT NULL,
	`report` text,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	FOREIGN KEY (`workspace_key`) REFERENCES `workspaces`(`key`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `quality_runs_workspace` ON `quality_runs` (`workspace_key`,`started_at`);--> statement-breakpoint
CREATE INDEX `quality_runs_running` ON `quality_runs` (`id`) WHERE status = 'running';