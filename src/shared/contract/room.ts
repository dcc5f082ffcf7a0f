import { z } from 'zod';
import { engineNames, permissionModes, roomModes } from '../vocabulary/words.ts';

/** How an engine is set up for one role. */
export const engineSettingsSchema = z.strictObject({
  engine: z.enum(engineNames),
  /** The engine's own name for it; null where the engine has no models, or chooses. */
  model: z.string().min(1).nullable().default(null),
  /** Most tokens of one reply; the engine's own default where null. */
  maxTokens: z.int().positive().nullable().default(null),
  /** The program and its arguments, for the engine `command`. */
  command: z.array(z.string()).min(1).readonly().nullable().default(null),
});

/** Engines that take a role's turns while every account of the role's own engine is used up. */
export const fallbacksSchema = z.strictObject({
  owner: engineSettingsSchema.optional(),
  reviewer: engineSettingsSchema.optional(),
  arbiter: engineSettingsSchema.optional(),
});

/** What a task may use before a person is asked: on by default, so that no loop runs on unnoticed. */
export const budgetSchema = z.strictObject({
  usd: z.number().positive().default(10),
  /** Subscriptions have no price, so tokens are bounded too. */
  tokens: z.int().positive().default(5_000_000),
  /** Minutes during which a turn runs. */
  minutes: z.number().positive().default(120),
  rounds: z.int().positive().default(12),
});

const roleSettings = z.strictObject({
  owner: engineSettingsSchema.optional(),
  reviewer: engineSettingsSchema.optional(),
  /** Null: none, so that deadlocks go to a person. */
  arbiter: engineSettingsSchema.nullable().optional(),
});

/** A room as a person sets it up. A role that it leaves out has the host's default. */
export const roomSettingsSchema = z.strictObject({
  name: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9._-]{0,63}$/,
      'A room name is 1 to 64 of a-z, 0-9, ".", "_" and "-", not starting with a sign.',
    ),
  /** Absolute path of the work directory. */
  directory: z.string().min(1),
  mode: z.enum(roomModes).default('tribunal'),
  roles: roleSettings.default({}),
  /** A role that has none here has the host's. */
  fallbacks: fallbacksSchema.default({}),
  /** Run once in each new worktree, before the owner's first turn. */
  setup: z.string().min(1).nullable().default(null),
  /** Ignored folders that the work needs (such as `node_modules`): shown to the reviewer read-only, never compared. */
  dependencies: z.array(z.string().min(1)).default([]),
  /** Criteria that hold for every task of the room. */
  criteria: z.array(z.string().min(1)).default([]),
  budget: budgetSchema.prefault({}),
  /** What the owner's coding agent may do by itself: everything, or what a person allows when it asks. */
  permissions: z.enum(permissionModes).default('everything'),
  /** Whether the owner too works in a container, with its worktree mounted writable. */
  sealedOwner: z.boolean().default(false),
  /** A folder with owner.md, reviewer.md or arbiter.md that stand in for the product's own. */
  prompts: z.string().min(1).nullable().default(null),
  /** A file that every agent of the room is given to read. */
  memory: z.string().min(1).nullable().default(null),
});

export type EngineSettings = z.infer<typeof engineSettingsSchema>;
export type RoomSettings = z.infer<typeof roomSettingsSchema>;
export type RoomSettingsInput = z.input<typeof roomSettingsSchema>;
