ALTER TABLE `check_runs` ADD `generation` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `check_runs` ADD `conclusion` text;--> statement-breakpoint
ALTER TABLE `commands` ADD `owed_reaction` text;--> statement-breakpoint
CREATE INDEX `commands_owed` ON `commands` (`workspace_key`,`id`) WHERE owed_reaction is not null;--> statement-breakpoint
UPDATE `quality_runs` SET "report" = json_set("report", '$.content.conclusion', 'neutral')
WHERE json_extract("report", '$.content.conclusion') = 'cancelled';
