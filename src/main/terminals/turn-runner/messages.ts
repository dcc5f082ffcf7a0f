// The small kind of zod: the runner starts with every turn, and reading all of zod takes longer than all else in it.
import * as z from 'zod/mini';

/** What the runner is to start. */
export const launchSchema = z.strictObject({
  program: z.string(),
  args: z.array(z.string()),
  directory: z.string(),
  environment: z.record(z.string(), z.string()),
  /** In the program's environment; see environment.ts. */
  mark: z.string(),
  /** How long processes may take to end by themselves, in milliseconds. */
  graceMs: z.number(),
});

/** Why the program could not be started. */
export const failedSchema = z.strictObject({
  /** The system's code for it, such as `ENOENT`. */
  code: z.nullable(z.string()),
  message: z.string(),
});

/** How the program has ended. */
export const endedSchema = z.strictObject({
  /** Null where a signal ended it. */
  exitCode: z.nullable(z.int()),
  /** It was told to: by the host, or by a person at its terminal. */
  stopped: z.boolean(),
});

/** What the runner is to start. */
export type RunnerLaunch = z.infer<typeof launchSchema>;
/** Why it did not start. */
export type RunnerFailed = z.infer<typeof failedSchema>;
/** How the program ended. */
export type RunnerEnded = z.infer<typeof endedSchema>;

/** The body of a frame as what it has to be; null for anything else. */
export function readBody<T extends z.ZodMiniType>(schema: T, body: Buffer): z.output<T> | null {
  try {
    return z.parse(schema, JSON.parse(body.toString('utf8')));
  } catch {
    return null;
  }
}
