import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RoomSettingsInput } from '../src/shared/contract/room.ts';
import { blocksOf } from '../test/fakes/messages-server/protocol.ts';
import type { MessagesRequest } from '../test/fakes/messages-server/protocol.ts';
import { says } from '../test/fakes/messages-server/script.ts';
import type { MessageReply, Reply, ReplyBlock, Script } from '../test/fakes/messages-server/script.ts';
import { makeRoom, nextEvent, openBenchHost, send } from './bench-host.ts';
import { figure } from './figure.ts';
import type { Figure } from './figure.ts';
import { makeProject } from './project.ts';
import type { Scratch } from './scratch.ts';

const PROJECT_FILES = 200;

/** The change that is reviewed: lines here and there in files of a usual size. */
const CHANGED_FILES = 6;
const LINES_PER_FILE = 400;
const CHANGED_LINES = [50, 200, 350];

/** What the reviewer reads of each changed file beside the diff, around one of its changes. */
const READ_FROM = 180;
const READ_TO = 220;

/** Roughly what a token is long, in code; the ratio does not depend on it. */
const CHARACTERS_PER_TOKEN = 4;

/** The part of a review's prompt that tells the change. */
const CHANGES_HEADING = '# Changes since the task began\n\n';

type RoleSettings = NonNullable<NonNullable<RoomSettingsInput['roles']>['reviewer']>;

/** An engine that reviews, and how its model reads in a file by the tools that it has there. */
interface Reviewer {
  readonly settings: RoleSettings;
  readLines(path: string, from: number, to: number, request: MessagesRequest): ReplyBlock;
}

const reviewers: readonly Reviewer[] = [
  {
    settings: { engine: 'anthropic', model: 'claude-sonnet-5-5' },
    readLines: (path, from, to) => ({ type: 'tool_use', name: 'read_file', input: { path, from, to } }),
  },
  {
    // The real program, sealed: its own instructions and descriptions of tools are counted too.
    settings: { engine: 'claude-code', model: 'claude-sonnet-5-5' },
    readLines: (path, from, to, request) => ({
      type: 'tool_use',
      name: 'Read',
      input: { file_path: `${snapshotFolderIn(request)}/${path}`, offset: from, limit: to - from + 1 },
    }),
  },
];

/**
 * What the review of a fixed change sends to the model, all its requests added up, beside the least that a reviewer
 * would be sent who gets the changed files whole: its first request, with those in the place of the diff.
 */
export async function reviewTokens(scratch: Scratch): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const reviewer of reviewers) figures.push(await reviewTokensOf(scratch, reviewer));
  return figures;
}

async function reviewTokensOf(scratch: Scratch, reviewer: Reviewer): Promise<Figure> {
  const { engine } = reviewer.settings;
  const project = scratch.folder(`project-${engine}`);
  makeProject(project, PROJECT_FILES);
  for (const file of filesChanged()) writeFileSync(join(project, fileName(file)), textOf(file));
  const reviews: MessagesRequest[] = [];
  const script: Script = (request) => {
    if (isOwners(request)) return editOnce(request);
    reviews.push(request);
    return reviews.length === 1 ? reading(reviewer, request) : says('BLOCKED. It cannot be judged.');
  };
  const host = await openBenchHost(scratch, script, `data-${engine}`);
  await makeRoom(host.service, { name: 'room', directory: project, roles: { reviewer: reviewer.settings } });
  const waits = nextEvent(host.service, 'escalation.asked');
  await send(host.service, 'room', 'Change these lines.');
  await waits;
  const [first] = reviews;
  if (first === undefined) throw new Error(`Nothing was reviewed on ${engine}.`);
  return figure({
    name: `input tokens of a review on ${engine}: ${CHANGED_FILES} files of ${LINES_PER_FILE} lines, ${CHANGED_FILES * CHANGED_LINES.length} changed`,
    value: reviews.reduce((sum, request) => sum + tokensOf(request), 0),
    unit: 'tokens',
    yardstick: { what: 'the changed files whole', value: tokensWithWholeFiles(first) },
    bar: { of: 'ratio', atMost: 0.5 },
  });
}

/** Only who owns the work has a tool that writes. */
function isOwners({ tools = [] }: MessagesRequest): boolean {
  return tools.some(({ name }) => name === 'write_file');
}

function editOnce({ messages }: MessagesRequest): Reply {
  const edited = messages.some((message) => blocksOf(message).some(({ type }) => type === 'tool_result'));
  if (edited) return says('DONE. The lines are changed.');
  return callsAll(
    filesChanged().flatMap((file) =>
      CHANGED_LINES.map((line) => ({
        type: 'tool_use',
        name: 'edit_file',
        input: { path: fileName(file), before: lineOf(file, line), after: changedLineOf(file, line) },
      })),
    ),
  );
}

function reading(reviewer: Reviewer, request: MessagesRequest): Reply {
  return callsAll(
    filesChanged().map((file) => reviewer.readLines(fileName(file), READ_FROM, READ_TO, request)),
  );
}

/** Where a sealed agent works, as its program tells its model. */
function snapshotFolderIn(request: MessagesRequest): string {
  const [folder] = /\/snapshots\/[\w-]+/.exec(JSON.stringify(request)) ?? [];
  if (folder === undefined) throw new Error('The model was not told where the work is.');
  return folder;
}

function callsAll(content: readonly ReplyBlock[]): MessageReply {
  return { kind: 'message', content };
}

/** What the whole request comes to on the wire. */
function tokensOf(request: MessagesRequest): number {
  return JSON.stringify(request).length / CHARACTERS_PER_TOKEN;
}

/** What it would come to with the changed files, as they are now, in the place of what changed in them. */
function tokensWithWholeFiles(request: MessagesRequest): number {
  const wire = JSON.stringify(request);
  const from = wire.indexOf(inJson(CHANGES_HEADING));
  const to = wire.indexOf(inJson('\n\n# '), from + 1);
  if (from === -1 || to === -1) throw new Error('The review was not told what has changed.');
  const files = filesChanged().map((file) => `${fileName(file)}\n\n${changedTextOf(file)}`);
  const whole = inJson(CHANGES_HEADING + files.join('\n'));
  return (wire.length - (to - from) + whole.length) / CHARACTERS_PER_TOKEN;
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function filesChanged(): number[] {
  return Array.from({ length: CHANGED_FILES }, (_, file) => file);
}

function fileName(file: number): string {
  return `source/module-${file}.ts`;
}

function textOf(file: number): string {
  return Array.from({ length: LINES_PER_FILE }, (_, line) => `${lineOf(file, line)}\n`).join('');
}

function changedTextOf(file: number): string {
  return CHANGED_LINES.reduce(
    (text, line) => text.replace(lineOf(file, line), changedLineOf(file, line)),
    textOf(file),
  );
}

/** Each is there once in its file. */
function lineOf(file: number, line: number): string {
  return `export const setting${line} = read(source, 'module-${file}.${line}');`;
}

function changedLineOf(file: number, line: number): string {
  return `export const setting${line} = read(source, 'module-${file}.${line}', 'default');`;
}
