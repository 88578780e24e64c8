CREATE TABLE `delivery_progress` (
	`id` integer PRIMARY KEY NOT NULL,
	`read_until` integer NOT NULL,
	`cursor` text,
	`reads_until` integer
);
--> statement-breakpoint
CREATE TABLE `lost_deliveries` (
	`guid` text PRIMARY KEY NOT NULL,
	`sent_id` text NOT NULL,
	`event_name` text NOT NULL,
	`urgency` integer NOT NULL,
	`sent_at` integer NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`next_try_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `lost_deliveries_order` ON `lost_deliveries` (`urgency`,`sent_at`);--> statement-breakpoint
ALTER TABLE `workspaces` ADD `touched_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `workspaces_touched` ON `workspaces` (`touched_at`);--> statement-breakpoint
CREATE INDEX `commands_settled` ON `commands` (`settled_at`) WHERE settled_at is not null;