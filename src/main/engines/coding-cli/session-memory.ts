import { z } from 'zod';
import type { TurnId } from '../../../shared/vocabulary/ids.ts';
import type { Transcript } from '../../ports/engine.ts';
import type { CliDialect } from './dialect.ts';

/** What a session's transcript keeps for a program, which keeps the conversation itself. */
const entrySchema = z.discriminatedUnion('kind', [
  /** The program took the turn's prompt in this session. `home` says where it keeps it. */
  z.object({
    kind: z.literal('cli_session'),
    engine: z.enum(['claude-code', 'codex']),
    session: z.string().min(1),
    home: z.enum(['host', 'container']),
    turn: z.string(),
  }),
  /** A verdict that was accepted: it stands, though the host dies before the turn has ended. */
  z.object({ kind: z.literal('cli_verdict'), turn: z.string(), call: z.unknown() }),
]);
type SessionEntry = Extract<z.infer<typeof entrySchema>, { kind: 'cli_session' }>;

/** What is remembered over tries and turns of one session. */
export interface SessionMemory {
  /** The session to go on in, and the turn whose prompt it took last; null where there is none. */
  last(): { readonly session: string; readonly turn: string } | null;
  keep(session: string): void;
  /** Verdicts that were accepted in this turn, in earlier tries too. */
  verdicts(): readonly unknown[];
  keepVerdict(call: unknown): void;
}

/**
 * Sessions of another program, or of the same one in another place, are not there to go on in; and where another
 * engine spoke last, ours has missed what it said.
 */
export function sessionMemory(
  transcript: Transcript,
  engine: CliDialect['engine'],
  home: SessionEntry['home'],
  turn: TurnId,
): SessionMemory {
  return {
    last() {
      const newest = entrySchema.safeParse(transcript.entries().at(-1));
      if (!newest.success) return null;
      const last = sessionsIn(transcript).at(-1);
      return last?.engine === engine && last.home === home
        ? { session: last.session, turn: last.turn }
        : null;
    },
    keep(session) {
      transcript.append([{ kind: 'cli_session', engine, session, home, turn }]);
    },
    verdicts() {
      return transcript.entries().flatMap((raw) => {
        const { data } = entrySchema.safeParse(raw);
        return data?.kind === 'cli_verdict' && data.turn === turn ? [data.call] : [];
      });
    },
    keepVerdict(call) {
      transcript.append([{ kind: 'cli_verdict', turn, call }]);
    },
  };
}

function sessionsIn(transcript: Transcript): readonly SessionEntry[] {
  return transcript.entries().flatMap((raw) => {
    const { data } = entrySchema.safeParse(raw);
    return data?.kind === 'cli_session' ? [data] : [];
  });
}
