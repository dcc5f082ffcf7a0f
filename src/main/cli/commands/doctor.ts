import type { CheckView } from '../../../shared/contract/views.ts';
import { ok } from '../../../shared/kernel/result.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { checkLines } from '../rendering/pages.ts';
import { withHost } from '../session.ts';

/** Checks what Tribune needs. */
export function doctor(context: Context): Promise<ExitCode> {
  const { screen, dataDirectory } = context;
  return withHost(context, 'look', async ({ service, socketPath }) => {
    const found = await service.call('host.doctor', {});
    if (!found.ok) return found;
    const host: CheckView = {
      name: 'host',
      ok: true,
      required: false,
      says:
        socketPath === null
          ? `None is running on ${dataDirectory}; one was opened for these checks.`
          : `Running on ${dataDirectory}, at ${socketPath}.`,
    };
    const checks = [host, ...found.value];
    screen.result(checks, () => checkLines(checks, screen.colours));
    return ok(checks.some((check) => check.required && !check.ok) ? exitCodes.failed : exitCodes.done);
  });
}
