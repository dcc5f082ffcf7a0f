import { calls, says } from '../test/fakes/messages-server/script.ts';
import type { Script } from '../test/fakes/messages-server/script.ts';
import { makeRoom, nextEvent, openBenchHost, send } from './bench-host.ts';
import { figure, median } from './figure.ts';
import type { Figure } from './figure.ts';
import { changeFiles, gitMs, makeProject } from './project.ts';
import type { Scratch } from './scratch.ts';

const FILES = 5_000;
const TURNS = 25;

/** From the end of an owner's turn that changed a file to the start of the reviewer's engine. */
export async function turnToReviewer(scratch: Scratch): Promise<readonly Figure[]> {
  const project = scratch.folder('project');
  makeProject(project, FILES);
  const bare = scratch.folder('bare');
  makeProject(bare, FILES);
  const host = await openBenchHost(scratch, editThenReview());
  await makeRoom(host.service, { name: 'room', directory: project });
  const reviewed: number[] = [];
  const added: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const waits = nextEvent(host.service, 'escalation.asked');
    const ended = host.steps.next('turn.result.recorded');
    await send(host.service, 'room', 'Go on.');
    const endedAt = await ended;
    reviewed.push((await host.steps.next('engine.started')) - endedAt);
    await waits;
    changeFiles(bare, FILES, 1, turn + 1);
    const addMs = await gitMs(bare, 'add', '--all');
    added.push(addMs + (await gitMs(bare, 'write-tree')));
  }
  return [
    figure({
      name: `owner's turn ended → reviewer started, ${FILES} files, p50`,
      value: median(reviewed),
      unit: 'ms',
      yardstick: { what: 'git add --all, git write-tree', value: median(added) },
      bar: { of: 'value', below: 120 },
    }),
  ];
}

/** The owner changes a file and says so; the reviewer cannot judge, so that a person is asked and the next message goes on. */
function editThenReview(): Script {
  let edits = 0;
  return ({ tools = [], messages }) => {
    if (!tools.some((tool) => tool.name === 'write_file')) return says('BLOCKED. It cannot be judged.');
    const last = messages.at(-1);
    const answered =
      typeof last?.content !== 'string' && last?.content.some((block) => block.type === 'tool_result');
    if (answered === true) return says('DONE. The file is changed.');
    edits += 1;
    return calls('write_file', { path: 'notes.md', text: `Edit ${edits}\n` });
  };
}
