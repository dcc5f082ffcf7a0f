import { readVerdict } from '../../domain/verdict/read-verdict.ts';
import { explainReading } from '../../domain/verdict/submitted.ts';
import type { CallOf } from '../call.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';

/** Reads the verdict in a text on standard input. */
export async function verdict({ role }: CallOf<'verdict'>, { screen, person }: Context): Promise<ExitCode> {
  screen.result(explainReading(readVerdict(role, await person.read())), () => []);
  return exitCodes.done;
}
