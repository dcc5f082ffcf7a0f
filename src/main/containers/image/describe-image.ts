import type Docker from 'dockerode';
import { err, ok } from '../../../shared/kernel/result.ts';
import type { Result } from '../../../shared/kernel/result.ts';
import { dockerFailure } from '../docker-failure.ts';
import type { ImageFailure } from './image-failure.ts';

/** What an image has become. */
export interface ImageDescription {
  readonly image: string;
  readonly id: string;
  /** Bytes on the engine's disk, with what it shares with others. */
  readonly bytes: number;
  readonly versions: ImageVersions;
}

/** As the programs themselves say, without their names; empty where one says nothing. */
export interface ImageVersions {
  readonly debian: string;
  readonly git: string;
  readonly node: string;
  readonly claude: string;
  readonly codex: string;
}

/** Each prints a line, in this order. */
const questions = [
  'cat /etc/debian_version',
  'git --version',
  'node --version',
  'claude --version',
  'codex --version',
];

/** Looks at an image, and asks its programs for their versions in a container that can do nothing else. */
export async function describeImage(
  docker: Docker,
  image: string,
): Promise<Result<ImageDescription, ImageFailure>> {
  try {
    const { Id, Size } = await docker.getImage(image).inspect();
    const lines = await output(
      docker,
      image,
      questions.map((question) => `(${question}) 2>/dev/null || echo`).join('; '),
    );
    const [debian = '', git = '', node = '', claude = '', codex = ''] = lines.split(/\r?\n/).map(versionIn);
    return ok({ image, id: Id, bytes: Size, versions: { debian, git, node, claude, codex } });
  } catch (thrown) {
    return err(dockerFailure(thrown, `The image ${image} could not be looked at`));
  }
}

async function output(docker: Docker, image: string, command: string): Promise<string> {
  const container = await docker.createContainer({
    Image: image,
    Cmd: ['sh', '-c', command],
    // A terminal: its output comes as it is, without the engine's framing.
    Tty: true,
    Labels: { 'dev.tribune.image': 'versions' },
    HostConfig: {
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
    },
  });
  try {
    const stream = await container.attach({ stream: true, stdout: true });
    await container.start();
    let text = '';
    for await (const chunk of stream) text += String(chunk);
    return text;
  } finally {
    await container.remove({ force: true });
  }
}

function versionIn(line: string): string {
  return /\d+\.[\w.-]*\w/.exec(line)?.[0] ?? line.trim();
}
