CREATE TABLE `cool_downs` (
	`engine` text NOT NULL,
	`account` text NOT NULL,
	`since` integer NOT NULL,
	`until` integer NOT NULL,
	`passes` integer NOT NULL,
	`reason` text NOT NULL,
	PRIMARY KEY(`engine`, `account`)
);
--> statement-breakpoint
DROP INDEX `escalations_by_number`;--> statement-breakpoint
DROP INDEX `escalations_one_open_per_task`;--> statement-breakpoint
CREATE UNIQUE INDEX `escalations_one_open_permission_per_task` ON `escalations` (`task_id`) WHERE state = 'open' and kind = 'permission';--> statement-breakpoint
CREATE UNIQUE INDEX `escalations_by_number` ON `escalations` (`task_id`,`number`) WHERE kind <> 'permission';--> statement-breakpoint
CREATE UNIQUE INDEX `escalations_one_open_per_task` ON `escalations` (`task_id`) WHERE state = 'open' and kind <> 'permission';--> statement-breakpoint
ALTER TABLE `attempts` ADD `engine` text;--> statement-breakpoint
ALTER TABLE `attempts` ADD `account` text;--> statement-breakpoint
ALTER TABLE `attempts` ADD `waited_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `engine` text;