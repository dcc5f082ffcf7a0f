import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { engineSettingsSchema, fallbacksSchema } from '../../../shared/contract/room.ts';

/** The model of a role for which nobody has chosen one. */
const DEFAULT_MODEL = 'claude-sonnet-5-5';
const defaultEngine = { engine: 'anthropic', model: DEFAULT_MODEL } as const;

/** An API's address, kept without a slash at its end. */
const baseUrlSchema = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''));

const absolutePathSchema = z.string().refine(isAbsolute, 'This has to be an absolute path.');

/** Where a key is; never the key itself, so that the settings can be shown. */
const keySchema = z.union(
  [
    /** The name of a variable of the host's environment. */
    z.strictObject({ environment: z.string().regex(/^\w+$/) }),
    /** A file with nothing but the key in it; absolute. */
    z.strictObject({ file: absolutePathSchema }),
  ],
  'A key is { "environment": NAME } or { "file": "/absolute/path" }, never the key itself.',
);

const accountName = z.string().min(1).max(64);

const keyAccountSchema = z.strictObject({
  name: accountName,
  key: keySchema,
  /** In the API's own header, or as a bearer token, as set-up tokens are. */
  sentAs: z.enum(['api_key', 'bearer']).default('api_key'),
  /** The engine's where it is left out. */
  baseUrl: baseUrlSchema.nullable().default(null),
});

/** What the program's own login opens: it serves on the host only. */
const ownAccountSchema = z.strictObject({ name: accountName, login: z.literal('own') });

/** Accounts in the order in which they are used. Without a list: what docs/configuration.md says of each engine. */
function accountsOf<S extends z.ZodType<{ readonly name: string }>>(account: S) {
  return z
    .array(account)
    .min(1)
    .refine(
      (accounts) => new Set(accounts.map(({ name }) => name)).size === accounts.length,
      'Each account of an engine needs a name of its own.',
    )
    .readonly()
    .nullable()
    .default(null);
}

const anthropicSchema = z.strictObject({
  accounts: accountsOf(keyAccountSchema),
  baseUrl: baseUrlSchema.nullable().default(null),
});

const codingCliSchema = z.strictObject({
  /** A path; where it is null the program is looked for on the PATH. */
  program: absolutePathSchema.nullable().default(null),
  accounts: accountsOf(z.union([ownAccountSchema, keyAccountSchema])),
  baseUrl: baseUrlSchema.nullable().default(null),
});

const enginesSchema = z.strictObject({
  anthropic: anthropicSchema.prefault({}),
  'claude-code': codingCliSchema.prefault({}),
  codex: codingCliSchema.prefault({}),
});

/** Limits of the containers in which agents work sealed. */
const containersSchema = z.strictObject({
  /** The image that agents run in; null for the one that `tribune image build` makes. */
  image: z.string().min(1).nullable().default(null),
  /** Most memory of one container in MiB; it gets no swap beside it. With less, no coding agent gets through a review. */
  memoryMb: z.int().min(1_024).default(2_048),
  /** Most processors of one container. */
  cpus: z.number().min(0.1).default(2),
  /** A room's container is removed after so long without a turn. */
  idleMinutes: z.number().positive().default(15),
  /** A container runtime of the engine, such as `runsc`; null for the engine's default. */
  runtime: z.string().min(1).nullable().default(null),
});

/** A model whose opinion the arbiter is told. */
const referenceModelSchema = z.strictObject({
  name: accountName,
  api: z.enum(['anthropic', 'openai']),
  model: z.string().min(1),
  baseUrl: baseUrlSchema,
  key: keySchema,
});

/** The host's own settings, from `config.json` in its data directory. */
export const configSchema = z.strictObject({
  /** Engines for the roles that a room leaves open; `"arbiter": null` is a host without one. */
  roles: z
    .strictObject({
      owner: engineSettingsSchema.prefault(defaultEngine),
      reviewer: engineSettingsSchema.prefault(defaultEngine),
      arbiter: engineSettingsSchema.nullable().prefault(defaultEngine),
    })
    .prefault({}),
  /** Engines that take over where a room names none of its own; none by default. */
  fallbacks: fallbacksSchema.prefault({}),
  engines: enginesSchema.prefault({}),
  containers: containersSchema.prefault({}),
  referenceModels: z.array(referenceModelSchema).max(8).readonly().default([]),
  /** Most turns at once over all rooms; one of them is kept for a person's message. */
  turnsAtOnce: z.int().min(1).max(100).default(5),
});

/** The settings, as they hold where some are left out. */
export type Config = z.infer<typeof configSchema>;
/** Where a key is kept. */
export type KeySource = z.infer<typeof keySchema>;
/** An account that a key opens. */
export type KeyAccount = z.infer<typeof keyAccountSchema>;
