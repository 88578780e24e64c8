CREATE TABLE `plan_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`plan` text NOT NULL,
	`budget_micro_usd` integer NOT NULL,
	`owner` text NOT NULL,
	`place` text NOT NULL,
	`status` text NOT NULL,
	`rollback_of` text,
	`lease_id` text,
	`lease_until` integer,
	`started_at` integer NOT NULL,
	`ended_at` integer
);
--> statement-breakpoint
CREATE INDEX `plan_runs_owner` ON `plan_runs` (`owner`,`started_at`);--> statement-breakpoint
CREATE INDEX `plan_runs_active` ON `plan_runs` (`started_at`) WHERE status = 'active';--> statement-breakpoint
CREATE INDEX `plan_runs_ended` ON `plan_runs` (`status`,`ended_at`);--> statement-breakpoint
CREATE TABLE `plan_steps` (
	`run_id` text NOT NULL,
	`key` text NOT NULL,
	`action_type` text NOT NULL,
	`sequence` integer,
	`compensation` text,
	`state` text,
	`cause` text,
	`attempts` integer NOT NULL,
	`micro_usd` integer NOT NULL,
	`measured_micro_usd` integer,
	`duration_ms` integer DEFAULT 0 NOT NULL,
	`output` text DEFAULT '' NOT NULL,
	PRIMARY KEY(`run_id`, `key`),
	FOREIGN KEY (`run_id`) REFERENCES `plan_runs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `plan_steps_measured` ON `plan_steps` (`action_type`) WHERE measured_micro_usd is not null;