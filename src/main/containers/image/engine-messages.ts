import { z } from 'zod';

/**
 * What an engine says while it pulls or builds, one JSON object a line: Docker's Engine API, `POST /images/create` and
 * `POST /build`; Podman's compatible API says a part of it.
 */
const messageSchema = z.object({
  /** Output of a build, and its own announcements. */
  stream: z.string().optional(),
  /** What a pull is doing, with the layer's id. */
  status: z.string().optional(),
  id: z.string().optional(),
  progressDetail: z.object({ current: z.number().optional(), total: z.number().optional() }).optional(),
  /** The end: it failed. */
  error: z.string().optional(),
});

export type EngineMessage = z.infer<typeof messageSchema>;

/** The messages in a response of the engine, as they come. Throws where the connection breaks. */
export async function* engineMessages(response: NodeJS.ReadableStream): AsyncGenerator<EngineMessage> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response) {
    rest += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') yield readMessage(line);
  }
  if (rest.trim() !== '') yield readMessage(rest);
}

/** A line that is no such message is passed on as output, so that it is seen. */
function readMessage(line: string): EngineMessage {
  try {
    return messageSchema.parse(JSON.parse(line));
  } catch {
    return { stream: `${line}\n` };
  }
}
