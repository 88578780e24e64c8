CREATE TABLE `agent_switches` (
	`repository_id` integer PRIMARY KEY NOT NULL,
	`off_since` integer NOT NULL,
	`by` text NOT NULL,
	`reason` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `model_calls` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`session_id` text NOT NULL,
	`workspace_key` text NOT NULL,
	`repository_id` integer NOT NULL,
	`installation_id` integer NOT NULL,
	`agent` text NOT NULL,
	`model` text NOT NULL,
	`state` text NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	`status` integer,
	`fault` text,
	`reserved_micro_usd` integer NOT NULL,
	`micro_usd` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`cached_tokens` integer NOT NULL,
	`written_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `model_calls_session` ON `model_calls` (`session_id`);--> statement-breakpoint
CREATE INDEX `model_calls_open` ON `model_calls` (`id`) WHERE state = 'open';--> statement-breakpoint
CREATE TABLE `model_circuits` (
	`fingerprint` text PRIMARY KEY NOT NULL,
	`agent` text NOT NULL,
	`fault` text NOT NULL,
	`failures` integer NOT NULL,
	`opened_at` integer NOT NULL,
	`until` integer
);
--> statement-breakpoint
CREATE TABLE `spend_totals` (
	`scope` text NOT NULL,
	`scope_key` text NOT NULL,
	`micro_usd` integer NOT NULL,
	`calls` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`cached_tokens` integer NOT NULL,
	`written_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`usd_alert_at` integer,
	`calls_alert_at` integer,
	`changed_at` integer NOT NULL,
	PRIMARY KEY(`scope`, `scope_key`)
);
--> statement-breakpoint
ALTER TABLE `sessions` ADD `agent_use` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `setup` text;