CREATE TABLE `flakes` (
	`repository_id` integer NOT NULL,
	`subject` text NOT NULL,
	`head_sha` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`repository_id`, `subject`, `head_sha`)
);
--> statement-breakpoint
CREATE INDEX `flakes_at` ON `flakes` (`at`);