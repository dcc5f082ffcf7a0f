CREATE TABLE `effects` (
	`id` text PRIMARY KEY NOT NULL,
	`scope` text NOT NULL,
	`key` text NOT NULL,
	`description` text NOT NULL,
	`state` text NOT NULL,
	`result` text,
	`intended_at` integer NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `effects_by_key` ON `effects` (`scope`,`key`);--> statement-breakpoint
CREATE TABLE `events` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`at` integer NOT NULL,
	`type` text NOT NULL,
	`room_id` text,
	`task_id` text,
	`turn_id` text,
	`data` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `events_id_unique` ON `events` (`id`);--> statement-breakpoint
CREATE INDEX `events_by_room` ON `events` (`room_id`,`seq`);--> statement-breakpoint
CREATE INDEX `events_by_task` ON `events` (`task_id`,`seq`);--> statement-breakpoint
CREATE TABLE `host_boots` (
	`id` text PRIMARY KEY NOT NULL,
	`pid` integer NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer
);
--> statement-breakpoint
CREATE TABLE `jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`room_id` text,
	`task_id` text,
	`payload` text NOT NULL,
	`state` text NOT NULL,
	`run_at` integer NOT NULL,
	`priority` integer NOT NULL,
	`attempt` integer NOT NULL,
	`lease_owner` text,
	`fence` integer NOT NULL,
	`idempotency_key` text NOT NULL,
	`last_error` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `jobs_idempotency_key_unique` ON `jobs` (`idempotency_key`);--> statement-breakpoint
CREATE INDEX `jobs_due` ON `jobs` (`state`,`run_at`);--> statement-breakpoint
CREATE INDEX `jobs_by_task` ON `jobs` (`task_id`,`state`);--> statement-breakpoint
CREATE INDEX `jobs_by_room` ON `jobs` (`room_id`,`state`);--> statement-breakpoint
CREATE TABLE `inbox` (
	`source_id` text PRIMARY KEY NOT NULL,
	`message_id` text NOT NULL,
	`received_at` integer NOT NULL,
	FOREIGN KEY (`message_id`) REFERENCES `messages`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `messages` (
	`id` text PRIMARY KEY NOT NULL,
	`channel` text NOT NULL,
	`room_id` text,
	`task_id` text,
	`agent_id` text,
	`source_agent_id` text,
	`type` text NOT NULL,
	`role` text NOT NULL,
	`status` text NOT NULL,
	`timestamp` integer NOT NULL,
	`payload` text NOT NULL,
	FOREIGN KEY (`room_id`) REFERENCES `rooms`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `messages_by_room` ON `messages` (`room_id`,`id`);--> statement-breakpoint
CREATE INDEX `messages_by_agent` ON `messages` (`agent_id`,`timestamp`);--> statement-breakpoint
CREATE INDEX `messages_by_channel` ON `messages` (`channel`,`id`);--> statement-breakpoint
CREATE INDEX `messages_by_task` ON `messages` (`task_id`,`id`);--> statement-breakpoint
CREATE TABLE `outbox` (
	`id` text PRIMARY KEY NOT NULL,
	`message_id` text NOT NULL,
	`channel` text NOT NULL,
	`state` text NOT NULL,
	`attempt` integer NOT NULL,
	`run_at` integer NOT NULL,
	`last_error` text,
	`sent_at` integer,
	FOREIGN KEY (`message_id`) REFERENCES `messages`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `outbox_due` ON `outbox` (`state`,`run_at`);--> statement-breakpoint
CREATE TABLE `agents` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`config` text NOT NULL,
	`channel_id` text,
	`status` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agents_name_unique` ON `agents` (`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `agents_channel_id_unique` ON `agents` (`channel_id`);--> statement-breakpoint
CREATE TABLE `rooms` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`settings` text NOT NULL,
	`created_at` integer NOT NULL,
	`archived_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `rooms_name_unique` ON `rooms` (`name`);--> statement-breakpoint
CREATE TABLE `criteria` (
	`task_id` text NOT NULL,
	`id` text NOT NULL,
	`position` integer NOT NULL,
	`text` text NOT NULL,
	`source` text NOT NULL,
	`judgement` text,
	PRIMARY KEY(`task_id`, `id`),
	FOREIGN KEY (`task_id`) REFERENCES `tasks`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `escalations` (
	`id` text PRIMARY KEY NOT NULL,
	`task_id` text NOT NULL,
	`number` integer NOT NULL,
	`kind` text NOT NULL,
	`text` text NOT NULL,
	`answers` text NOT NULL,
	`snapshot` text,
	`limit` text,
	`back` text NOT NULL,
	`shown_hash` text NOT NULL,
	`state` text NOT NULL,
	`answer` text,
	`answer_text` text,
	`answered_by` text,
	`created_at` integer NOT NULL,
	`closed_at` integer,
	FOREIGN KEY (`task_id`) REFERENCES `tasks`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `escalations_by_number` ON `escalations` (`task_id`,`number`);--> statement-breakpoint
CREATE UNIQUE INDEX `escalations_one_open_per_task` ON `escalations` (`task_id`) WHERE state = 'open';--> statement-breakpoint
CREATE INDEX `escalations_by_state` ON `escalations` (`state`,`created_at`);--> statement-breakpoint
CREATE TABLE `findings` (
	`task_id` text NOT NULL,
	`id` text NOT NULL,
	`position` integer NOT NULL,
	`criterion` text,
	`severity` text NOT NULL,
	`place` text,
	`text` text NOT NULL,
	`evidence` text,
	`judgement` text NOT NULL,
	`overruled` integer NOT NULL,
	`free_text` integer NOT NULL,
	PRIMARY KEY(`task_id`, `id`),
	FOREIGN KEY (`task_id`) REFERENCES `tasks`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `snapshots` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`room_id` text NOT NULL,
	`task_id` text,
	`kind` text NOT NULL,
	`left_out` text NOT NULL,
	`taken_at` integer NOT NULL,
	FOREIGN KEY (`room_id`) REFERENCES `rooms`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`task_id`) REFERENCES `tasks`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `snapshots_by_task` ON `snapshots` (`task_id`);--> statement-breakpoint
CREATE INDEX `snapshots_by_room` ON `snapshots` (`room_id`);--> statement-breakpoint
CREATE TABLE `tasks` (
	`id` text PRIMARY KEY NOT NULL,
	`room_id` text NOT NULL,
	`title` text NOT NULL,
	`origin` text NOT NULL,
	`request` text NOT NULL,
	`mode` text NOT NULL,
	`has_arbiter` integer NOT NULL,
	`direct` integer NOT NULL,
	`budget_usd` real NOT NULL,
	`budget_tokens` real NOT NULL,
	`budget_minutes` real NOT NULL,
	`budget_rounds` integer NOT NULL,
	`budgets` integer NOT NULL,
	`state` text NOT NULL,
	`ending` text,
	`next_turn` integer NOT NULL,
	`next_question` integer NOT NULL,
	`waiting` text NOT NULL,
	`base` text,
	`content` text,
	`reviewed` text,
	`approved` text,
	`criteria_fixed` integer NOT NULL,
	`ruling` text,
	`arbitration_after` text,
	`asked` text NOT NULL,
	`rounds` integer NOT NULL,
	`rounds_without_progress` integer NOT NULL,
	`retries` integer NOT NULL,
	`arbitrations` integer NOT NULL,
	`changed_finishes` integer NOT NULL,
	`ancestor_id` text,
	`person_base` text,
	`created_at` integer NOT NULL,
	`ended_at` integer,
	`applied_at` integer,
	FOREIGN KEY (`room_id`) REFERENCES `rooms`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`ancestor_id`) REFERENCES `tasks`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `tasks_by_room` ON `tasks` (`room_id`,`created_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `tasks_one_open_per_room` ON `tasks` (`room_id`) WHERE state <> 'completed';--> statement-breakpoint
CREATE TABLE `attempts` (
	`id` text PRIMARY KEY NOT NULL,
	`turn_id` text NOT NULL,
	`number` integer NOT NULL,
	`nonce` text NOT NULL,
	`boot_id` text NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	`outcome` text,
	`reason` text,
	FOREIGN KEY (`turn_id`) REFERENCES `turns`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `attempts_by_turn` ON `attempts` (`turn_id`);--> statement-breakpoint
CREATE TABLE `model_calls` (
	`id` text PRIMARY KEY NOT NULL,
	`attempt_id` text NOT NULL,
	`model` text NOT NULL,
	`input_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`cache_read_tokens` integer NOT NULL,
	`cache_write_tokens` integer NOT NULL,
	`usd` real,
	`duration_ms` real NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`attempt_id`) REFERENCES `attempts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `model_calls_by_attempt` ON `model_calls` (`attempt_id`);--> statement-breakpoint
CREATE TABLE `session_entries` (
	`session_id` text NOT NULL,
	`position` integer NOT NULL,
	`entry` text NOT NULL,
	PRIMARY KEY(`session_id`, `position`),
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`task_id` text NOT NULL,
	`role` text NOT NULL,
	`started_at` integer NOT NULL,
	FOREIGN KEY (`task_id`) REFERENCES `tasks`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `sessions_by_role` ON `sessions` (`task_id`,`role`,`id`);--> statement-breakpoint
CREATE TABLE `turns` (
	`id` text PRIMARY KEY NOT NULL,
	`task_id` text NOT NULL,
	`number` integer NOT NULL,
	`role` text NOT NULL,
	`purpose` text NOT NULL,
	`phase` text NOT NULL,
	`attempt` integer NOT NULL,
	`ask` text,
	`session` text NOT NULL,
	`workspace` text NOT NULL,
	`messages` text NOT NULL,
	`wrapping_up` text,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`ended_at` integer,
	FOREIGN KEY (`task_id`) REFERENCES `tasks`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `turns_by_number` ON `turns` (`task_id`,`number`);--> statement-breakpoint
CREATE UNIQUE INDEX `turns_one_live_per_task` ON `turns` (`task_id`) WHERE status = 'live';--> statement-breakpoint
CREATE TABLE `verdicts` (
	`id` text PRIMARY KEY NOT NULL,
	`turn_id` text NOT NULL,
	`attempt_id` text,
	`verdict` text,
	`via` text,
	`reason` text,
	`text` text NOT NULL,
	`report` text NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`turn_id`) REFERENCES `turns`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`attempt_id`) REFERENCES `attempts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `verdicts_by_turn` ON `verdicts` (`turn_id`,`id`);