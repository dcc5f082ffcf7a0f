import { z } from 'zod';
import { criterionIdSchema } from '../vocabulary/point-ids.ts';
import { answers } from '../vocabulary/words.ts';
import { roomSettingsSchema } from './room.ts';
import {
  checkViewSchema,
  escalationViewSchema,
  eventViewSchema,
  liveViewSchema,
  roomViewSchema,
  taskDetailSchema,
  taskViewSchema,
} from './views.ts';

interface Method<I extends z.ZodType, O extends z.ZodType> {
  readonly input: I;
  readonly output: O;
  /** It decides, configures, or speaks as the person: agents that run as the person are refused. */
  readonly decides: boolean;
}

/** A question or command: both ends parse both. */
function method<I extends z.ZodType, O extends z.ZodType>(input: I, output: O): Method<I, O> {
  return { input, output, decides: false };
}

/** The same for what only a person may do. */
function decision<I extends z.ZodType, O extends z.ZodType>(input: I, output: O): Method<I, O> {
  return { input, output, decides: true };
}

const nothing = z.strictObject({});
/** A room, by its name or id. */
const room = z.string().min(1);
const task = z.string().min(1);

/** Everything that can be asked of a host, or told to it. Every way in carries these and nothing else. */
export const methods = {
  'host.status': method(
    nothing,
    z.object({
      version: z.string(),
      startedAt: z.number(),
      dataDirectory: z.string(),
      rooms: z.number(),
      /** Turns that run now, and the most that may. */
      running: z.number(),
      turnsAtOnce: z.number(),
    }),
  ),
  'host.doctor': method(nothing, z.array(checkViewSchema)),
  'rooms.list': method(nothing, z.array(roomViewSchema)),
  'rooms.create': decision(roomSettingsSchema, roomViewSchema),
  /** What a room for this directory may need, told from the project's lock files. */
  'rooms.propose': method(
    z.strictObject({ directory: z.string().min(1) }),
    z.object({ setup: z.string().nullable(), dependencies: z.array(z.string()) }),
  ),
  'rooms.update': decision(z.strictObject({ room, settings: roomSettingsSchema }), roomViewSchema),
  'messages.send': decision(
    z.strictObject({
      room,
      text: z.string().min(1).max(100_000),
      /** Names the message at its source: sent again under the same name, it is taken once. */
      source: z.string().min(1).max(200).optional(),
    }),
    /** `known`: it had come before. `started`: the task began with it, and was not open already. */
    z.object({ message: z.string(), task: z.string(), known: z.boolean(), started: z.boolean() }),
  ),
  'tasks.list': method(
    z.strictObject({
      room: room.optional(),
      open: z.boolean().optional(),
      limit: z.int().min(1).max(1000).default(50),
    }),
    z.array(taskViewSchema),
  ),
  'tasks.show': method(z.strictObject({ task }), taskDetailSchema),
  'tasks.diff': method(z.strictObject({ task }), z.object({ text: z.string() })),
  'tasks.stop': decision(z.strictObject({ task }), taskViewSchema),
  'tasks.apply': decision(z.strictObject({ task }), z.object({ paths: z.array(z.string()) })),
  'escalations.list': method(nothing, z.array(escalationViewSchema)),
  'escalations.answer': decision(
    z.strictObject({
      escalation: z.string().min(1),
      answer: z.enum(answers),
      text: z.string().max(100_000).default(''),
      /** Criteria that the person adds to the task. */
      criteria: z.array(z.string().min(1)).default([]),
      /** Ids of criteria that the person strikes. */
      dropped: z.array(criterionIdSchema).default([]),
      /** The hash of what the person saw; an answer to something else is refused. */
      shown: z.string().optional(),
    }),
    taskViewSchema,
  ),
  'events.since': method(
    z.strictObject({
      after: z.int().min(0).default(0),
      limit: z.int().min(1).max(1000).default(200),
      room: room.optional(),
      task: task.optional(),
    }),
    z.array(eventViewSchema),
  ),
} as const;

/** What goes on until one end closes it. */
export const streams = {
  'events.follow': {
    input: z.strictObject({ after: z.int().min(0).optional(), room: room.optional(), task: task.optional() }),
    item: z.union([z.object({ event: eventViewSchema }), z.object({ live: liveViewSchema })]),
  },
} as const;

export type Methods = typeof methods;
export type MethodName = keyof Methods;
export type MethodInput<N extends MethodName> = z.output<Methods[N]['input']>;
export type MethodOutput<N extends MethodName> = z.output<Methods[N]['output']>;
export type FollowInput = z.output<(typeof streams)['events.follow']['input']>;
export type FollowItem = z.output<(typeof streams)['events.follow']['item']>;

/** AgentComms' method names: they keep their meaning and are not used for anything else. */
export const reservedMethods = [
  'ping',
  'status',
  'agents',
  'send',
  'interrupt',
  'events',
  'reply',
  'channels',
  'agent_message',
] as const;
