import { ok } from '../../../shared/kernel/result.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { escalationLines } from '../rendering/pages.ts';
import { withHost } from '../session.ts';

/** Lists the questions that wait for a person. */
export function listEscalations(context: Context): Promise<ExitCode> {
  const { screen } = context;
  return withHost(context, 'look', async ({ service }) => {
    const escalations = await service.call('escalations.list', {});
    if (!escalations.ok) return escalations;
    screen.result(escalations.value, () => escalationLines(escalations.value, screen.colours));
    return ok(exitCodes.done);
  });
}
