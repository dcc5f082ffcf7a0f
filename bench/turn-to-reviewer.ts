import { calls, says } from '../test/fakes/messages-server/script.ts';
import type { Script } from '../test/fakes/messages-server/script.ts';
import { makeRoom, nextEvent, openBenchHost, send } from './bench-host.ts';
import { figure, median } from './figure.ts';
import type { Figure } from './figure.ts';
import { changeFiles, gitMs, makeProject } from './project.ts';
import type { Scratch } from './scratch.ts';

const FILES = 5_000;
const TURNS = 25;

/**
 * From the end of the owner's last reply, in a turn that changed a file, until the reviewer's engine has called the
 * model: the turn's end, the snapshot, the decision and the start of the reviewer lie within.
 */
export async function turnToReviewer(scratch: Scratch): Promise<readonly Figure[]> {
  const project = scratch.folder('project');
  makeProject(project, FILES);
  const bare = scratch.folder('bare');
  makeProject(bare, FILES);
  const reviewed: number[] = [];
  const added: number[] = [];
  const host = await openBenchHost(scratch, editThenReview(reviewed));
  await makeRoom(host.service, { name: 'room', directory: project });
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const waits = nextEvent(host.service, 'escalation.asked');
    await send(host.service, 'room', 'Go on.');
    await waits;
    changeFiles(bare, FILES, 1, turn);
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

/**
 * The owner changes a file and says so; the reviewer cannot judge, so that a person is asked and the next message
 * goes on. Adds to `reviewed` how long each reviewer took to come.
 */
function editThenReview(reviewed: number[]): Script {
  let edits = 0;
  let repliedAt = 0;
  return ({ tools = [], messages }) => {
    if (!tools.some((tool) => tool.name === 'write_file')) {
      reviewed.push(performance.now() - repliedAt);
      return says('BLOCKED. It cannot be judged.');
    }
    const last = messages.at(-1);
    const answered =
      typeof last?.content !== 'string' && last?.content.some((block) => block.type === 'tool_result');
    if (answered === true) {
      return says('DONE. The file is changed.', {
        beforeEvent: () => {
          repliedAt = performance.now();
          return Promise.resolve();
        },
      });
    }
    edits += 1;
    return calls('write_file', { path: 'notes.md', text: `Edit ${edits}\n` });
  };
}
