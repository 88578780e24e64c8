CREATE TABLE `check_runs` (
	`workspace_key` text NOT NULL,
	`head_sha` text NOT NULL,
	`name` text NOT NULL,
	`check_run_id` integer,
	`content_hash` text,
	`completed` integer NOT NULL,
	PRIMARY KEY(`workspace_key`, `head_sha`, `name`),
	FOREIGN KEY (`workspace_key`) REFERENCES `workspaces`(`key`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `check_runs_open` ON `check_runs` (`workspace_key`) WHERE completed = 0;--> statement-breakpoint
CREATE TABLE `commands` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`workspace_key` text NOT NULL,
	`command` text NOT NULL,
	`author_id` integer NOT NULL,
	`author_login` text NOT NULL,
	`author_kind` text NOT NULL,
	`comment_kind` text NOT NULL,
	`comment_id` integer NOT NULL,
	`received_at` integer NOT NULL,
	`settled_at` integer,
	`outcome` text,
	FOREIGN KEY (`workspace_key`) REFERENCES `workspaces`(`key`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `commands_pending` ON `commands` (`workspace_key`,`id`) WHERE settled_at is null;--> statement-breakpoint
CREATE TABLE `deliveries` (
	`guid` text PRIMARY KEY NOT NULL,
	`body_hash` text NOT NULL,
	`event_name` text NOT NULL,
	`action` text,
	`received_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_body_hash` ON `deliveries` (`body_hash`);--> statement-breakpoint
CREATE INDEX `deliveries_received_at` ON `deliveries` (`received_at`);--> statement-breakpoint
CREATE TABLE `installations` (
	`installation_id` integer PRIMARY KEY NOT NULL,
	`status` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `intents` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`unique_key` text NOT NULL,
	`workspace_key` text NOT NULL,
	`session_id` text NOT NULL,
	`effect` text NOT NULL,
	`created_at` integer NOT NULL,
	`settled_at` integer,
	`outcome` text,
	FOREIGN KEY (`workspace_key`) REFERENCES `workspaces`(`key`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `intents_unique_key` ON `intents` (`kind`,`unique_key`);--> statement-breakpoint
CREATE INDEX `intents_open` ON `intents` (`session_id`) WHERE settled_at is null;--> statement-breakpoint
CREATE TABLE `repositories` (
	`repository_id` integer PRIMARY KEY NOT NULL,
	`installation_id` integer NOT NULL,
	`owner` text NOT NULL,
	`name` text NOT NULL,
	`active` integer DEFAULT true NOT NULL
);
--> statement-breakpoint
CREATE INDEX `repositories_installation` ON `repositories` (`installation_id`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_key` text NOT NULL,
	`kind` text NOT NULL,
	`status` text NOT NULL,
	`fixup` text,
	`started_at` integer NOT NULL,
	`heartbeat_at` integer NOT NULL,
	`deadline_at` integer NOT NULL,
	`ended_at` integer,
	`outcome` text,
	FOREIGN KEY (`workspace_key`) REFERENCES `workspaces`(`key`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_one_working` ON `sessions` (`workspace_key`) WHERE status = 'working';--> statement-breakpoint
CREATE INDEX `sessions_live` ON `sessions` (`workspace_key`) WHERE status <> 'ended';--> statement-breakpoint
CREATE INDEX `sessions_ended` ON `sessions` (`workspace_key`,`ended_at`);--> statement-breakpoint
CREATE TABLE `ratchet_transition_log` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`workspace_key` text NOT NULL,
	`action` text NOT NULL,
	`code` text NOT NULL,
	`reason` text NOT NULL,
	`snapshot` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_key`) REFERENCES `workspaces`(`key`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `ratchet_transition_log_workspace` ON `ratchet_transition_log` (`workspace_key`,`created_at`);--> statement-breakpoint
CREATE INDEX `ratchet_transition_log_created` ON `ratchet_transition_log` (`created_at`);--> statement-breakpoint
CREATE TABLE `wakeups` (
	`queue` text NOT NULL,
	`key` text NOT NULL,
	`wake_seq` integer DEFAULT 0 NOT NULL,
	`done_seq` integer DEFAULT 0 NOT NULL,
	`claimed_seq` integer,
	`next_check_at` integer,
	`lease_id` text,
	`lease_until` integer,
	`ready_since` integer,
	`due_at` integer,
	PRIMARY KEY(`queue`, `key`)
);
--> statement-breakpoint
CREATE INDEX `wakeups_ready` ON `wakeups` (`queue`,`ready_since`) WHERE ready_since is not null;--> statement-breakpoint
CREATE INDEX `wakeups_due` ON `wakeups` (`queue`,`due_at`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `wakeups_leased` ON `wakeups` (`queue`) WHERE lease_id is not null;--> statement-breakpoint
CREATE TABLE `workspaces` (
	`key` text PRIMARY KEY NOT NULL,
	`repository_id` integer NOT NULL,
	`number` integer NOT NULL,
	`enablement` text DEFAULT 'never' NOT NULL,
	`enabled_by_id` integer,
	`enabled_by_login` text,
	`enabled_by_kind` text,
	`ratchet_state` text DEFAULT 'idle' NOT NULL,
	`ratchet_active_session_id` text,
	`ratchet_last_ci_run_id` text,
	`ratchet_stale_ci_since` integer,
	`ratchet_last_checked_at` integer,
	`ratchet_last_push_at` integer,
	`ratchet_last_push_sha` text,
	`ratchet_consecutive_fixup_attempts` integer DEFAULT 0 NOT NULL,
	`ratchet_stop` text,
	`seen_head_sha` text,
	`seen_head_at` integer,
	`head_ref` text,
	`base_ref` text,
	`hint_head_sha` text,
	`ci_ever_seen` integer DEFAULT false NOT NULL,
	`waiting_for` text,
	`waiting_since` integer,
	FOREIGN KEY (`repository_id`) REFERENCES `repositories`(`repository_id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `workspaces_head_ref` ON `workspaces` (`repository_id`,`head_ref`);--> statement-breakpoint
CREATE INDEX `workspaces_base_ref` ON `workspaces` (`repository_id`,`base_ref`);--> statement-breakpoint
CREATE INDEX `workspaces_seen_head` ON `workspaces` (`repository_id`,`seen_head_sha`);--> statement-breakpoint
CREATE INDEX `workspaces_hint_head` ON `workspaces` (`repository_id`,`hint_head_sha`);--> statement-breakpoint
CREATE INDEX `workspaces_enabled` ON `workspaces` (`key`) WHERE enablement = 'enabled';