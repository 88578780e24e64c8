DROP INDEX `sessions_one_working`;--> statement-breakpoint
ALTER TABLE `sessions` ADD `label` text;--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_one_fixup` ON `sessions` (`workspace_key`) WHERE status = 'working' and kind = 'ratchet';--> statement-breakpoint
ALTER TABLE `workspaces` ADD `pause` text;--> statement-breakpoint
ALTER TABLE `workspaces` ADD `rerun` text;--> statement-breakpoint
ALTER TABLE `workspaces` ADD `branch_update` text;--> statement-breakpoint
ALTER TABLE `workspaces` ADD `diagnosis` text;--> statement-breakpoint
ALTER TABLE `workspaces` ADD `flakes` text;--> statement-breakpoint
ALTER TABLE `workspaces` ADD `seen_merge` text;--> statement-breakpoint
ALTER TABLE `workspaces` ADD `comment_hash` text;--> statement-breakpoint
CREATE INDEX `workspaces_enabled_base` ON `workspaces` (`repository_id`,`base_ref`) WHERE enablement = 'enabled';--> statement-breakpoint
CREATE INDEX `intents_answers` ON `intents` (`workspace_key`) WHERE kind = 'answer';