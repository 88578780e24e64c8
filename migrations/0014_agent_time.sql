CREATE TABLE `agent_runs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`session_id` text NOT NULL,
	`workspace_key` text NOT NULL,
	`repository_id` integer NOT NULL,
	`installation_id` integer NOT NULL,
	`agent` text NOT NULL,
	`state` text NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	`reserved_ms` integer NOT NULL,
	`time_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `agent_runs_open` ON `agent_runs` (`id`) WHERE state = 'open';--> statement-breakpoint
ALTER TABLE `spend_totals` ADD `time_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `spend_totals` ADD `time_alert_at` integer;