CREATE TABLE `artifacts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`run_id` text NOT NULL,
	`tool` text,
	`kind` text NOT NULL,
	`path` text NOT NULL,
	`sha256` text,
	`size_bytes` integer,
	`created_at` text NOT NULL,
	`meta_json` text,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`run_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `idx_artifacts_run_id` ON `artifacts` (`run_id`);--> statement-breakpoint
CREATE TABLE `attempts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`task_id` integer NOT NULL,
	`attempt_no` integer NOT NULL,
	`status` text NOT NULL,
	`agent_name` text,
	`agent_exit_code` integer,
	`validation_exit_code` integer,
	`started_at` text NOT NULL,
	`finished_at` text,
	`summary_json` text,
	`diff_stats_json` text,
	`artifacts_json` text,
	FOREIGN KEY (`task_id`) REFERENCES `tasks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `idx_attempts_task_id` ON `attempts` (`task_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `idx_attempts_task_no` ON `attempts` (`task_id`,`attempt_no`);--> statement-breakpoint
CREATE TABLE `findings` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`run_id` text NOT NULL,
	`tool` text NOT NULL,
	`kind` text NOT NULL,
	`severity` text NOT NULL,
	`fingerprint` text NOT NULL,
	`message` text NOT NULL,
	`file_path` text,
	`line` integer,
	`col` integer,
	`symbol` text,
	`test_id` text,
	`raw_ref` text,
	`meta_json` text,
	`created_at` text NOT NULL,
	`collection` integer NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`run_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `idx_findings_run_tool` ON `findings` (`run_id`,`tool`);--> statement-breakpoint
CREATE INDEX `idx_findings_fingerprint` ON `findings` (`fingerprint`);--> statement-breakpoint
CREATE INDEX `idx_findings_collection` ON `findings` (`run_id`,`collection`);--> statement-breakpoint
CREATE TABLE `run_events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`run_id` text NOT NULL,
	`ts` text NOT NULL,
	`level` text NOT NULL,
	`event_type` text NOT NULL,
	`task_id` integer,
	`attempt_id` integer,
	`tool` text,
	`payload` text NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`run_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `idx_run_events_run` ON `run_events` (`run_id`,`id`);--> statement-breakpoint
CREATE TABLE `runs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`run_id` text NOT NULL,
	`repo_path` text NOT NULL,
	`started_at` text NOT NULL,
	`finished_at` text,
	`status` text NOT NULL,
	`config_json` text NOT NULL,
	`summary_json` text,
	`workspace_key` text,
	`session_id` text,
	`commit_sha` text NOT NULL,
	`base_sha` text NOT NULL,
	`history_since` text NOT NULL,
	`collections_json` text DEFAULT '[]' NOT NULL,
	FOREIGN KEY (`workspace_key`) REFERENCES `workspaces`(`key`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `runs_run_id` ON `runs` (`run_id`);--> statement-breakpoint
CREATE INDEX `idx_runs_workspace` ON `runs` (`workspace_key`);--> statement-breakpoint
CREATE INDEX `idx_runs_repo_path` ON `runs` (`repo_path`);--> statement-breakpoint
CREATE INDEX `idx_runs_session` ON `runs` (`session_id`);--> statement-breakpoint
CREATE INDEX `idx_runs_running` ON `runs` (`workspace_key`) WHERE status = 'running';--> statement-breakpoint
CREATE INDEX `idx_runs_started` ON `runs` (`started_at`);--> statement-breakpoint
CREATE TABLE `task_findings` (
	`task_id` integer NOT NULL,
	`finding_id` integer NOT NULL,
	PRIMARY KEY(`task_id`, `finding_id`),
	FOREIGN KEY (`task_id`) REFERENCES `tasks`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`finding_id`) REFERENCES `findings`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `idx_task_findings_finding` ON `task_findings` (`finding_id`);--> statement-breakpoint
CREATE TABLE `tasks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`run_id` text NOT NULL,
	`tool` text NOT NULL,
	`task_type` text NOT NULL,
	`priority` integer NOT NULL,
	`status` text NOT NULL,
	`fingerprint` text NOT NULL,
	`title` text NOT NULL,
	`description` text,
	`targets_json` text NOT NULL,
	`validation_json` text NOT NULL,
	`retry_policy_json` text NOT NULL,
	`depends_on_json` text,
	`claimed_by` text,
	`claimed_at` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	`lease_until` text,
	`worker` text NOT NULL,
	`cause` text,
	`cause_detail` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`run_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `idx_tasks_run_status` ON `tasks` (`run_id`,`status`);--> statement-breakpoint
CREATE INDEX `idx_tasks_fingerprint` ON `tasks` (`fingerprint`);--> statement-breakpoint
CREATE UNIQUE INDEX `idx_tasks_run_fingerprint` ON `tasks` (`run_id`,`fingerprint`);--> statement-breakpoint
CREATE INDEX `idx_tasks_claim` ON `tasks` (`run_id`,"priority" desc,`created_at`,`id`) WHERE status = 'queued';--> statement-breakpoint
CREATE INDEX `idx_tasks_leased` ON `tasks` (`run_id`,`lease_until`) WHERE status = 'running';