import type { Service } from '../../../shared/contract/service.ts';
import type { RoomFlags } from '../call.ts';
import type { Context } from '../context.ts';
import type { Person } from '../person.ts';

/**
 * A new room's flags, with what its project's lock files say that a fresh worktree needs. A person at a terminal
 * is asked; otherwise it is only said, since a setup runs programs of the project.
 */
export async function withProposedSetup(
  service: Service,
  flags: RoomFlags,
  directory: string,
  { screen, person, interruption }: Context,
): Promise<RoomFlags> {
  if (flags.setup !== undefined) return flags;
  const proposed = await service.call('rooms.propose', { directory });
  if (!proposed.ok || proposed.value.setup === null) return flags;
  const { setup, dependencies } = proposed.value;
  const folders = dependencies.join(', ');
  const dependency = flags.dependency ?? dependencies;
  if (screen.interactive && person.atTerminal) {
    screen.tell([
      `Work happens in a fresh worktree, without ${folders === '' ? 'what is installed' : folders}.`,
    ]);
    const yes = await saysYes(person, `Run \`${setup}\` in each new one? [Y/n] `, interruption);
    return yes ? { ...flags, setup, dependency } : flags;
  }
  const flagWords = [`--setup '${setup}'`, ...dependencies.map((folder) => `--dependency ${folder}`)].join(
    ' ',
  );
  screen.tell([`Nothing is installed in new worktrees. If the work needs it: ${flagWords}`]);
  return flags;
}

/** Asks until the answer is yes, as nothing is, or no, as closing the question is. */
async function saysYes(person: Person, question: string, interruption: AbortSignal): Promise<boolean> {
  for (;;) {
    const typed = await person.ask(question, interruption);
    if (typed === null || /^no?$/i.test(typed.trim())) return false;
    if (/^(y(es)?)?$/i.test(typed.trim())) return true;
  }
}
