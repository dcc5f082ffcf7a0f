import type Docker from 'dockerode';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { describeWithReviewerImage } from '../../support/reviewer-image.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** What a command prints in a container of the image, as root, with no network. */
async function printed(docker: Docker, image: string, command: string): Promise<string> {
  const container = await docker.createContainer({
    Image: image,
    Cmd: ['sh', '-c', command],
    User: '0:0',
    Tty: true,
    HostConfig: { NetworkMode: 'none' },
  });
  try {
    const output = await container.attach({ stream: true, stdout: true });
    await container.start();
    let text = '';
    for await (const chunk of output) text += String(chunk);
    return text.replaceAll('\r\n', '\n').trim();
  } finally {
    await container.remove({ force: true });
  }
}

describeWithReviewerImage('the reviewer image', ({ docker, image }) => {
  const run = (command: string): Promise<string> => printed(docker, image, command);

  it('has a user for the agent and another for its commands, and starts as the first', async () => {
    expect(await run('id agent; id tester')).toBe(
      'uid=1000(agent) gid=1000(agent) groups=1000(agent)\n' +
        'uid=1001(tester) gid=1001(tester) groups=1001(tester)',
    );
    const { Config } = await docker.getImage(image).inspect();
    expect(Config.User).toBe('agent');
  });

  it('has the programs on its PATH, and no package manager of Node.js', async () => {
    expect(await run('for program in git rg node claude codex; do command -v $program; done')).toBe(
      ['/usr/bin/git', '/usr/bin/rg', '/usr/bin/node', '/opt/claude/claude', '/opt/codex/bin/codex'].join(
        '\n',
      ),
    );
    expect(await run('command -v npm || echo none')).toBe('none');
  });

  it('has no program that runs as another user than the one who starts it', async () => {
    expect(await run('find / -xdev -type f -perm /6000')).toBe('');
  });

  it("trusts Debian's authorities alone: what was trusted while it was built is not there", async () => {
    const trusted = (await run('cat /etc/ssl/certs/ca-certificates.crt')).match(CERTIFICATE) ?? [];
    const known = new Set((await run('cat /usr/share/ca-certificates/mozilla/*.crt')).match(CERTIFICATE));
    expect(trusted.length).toBeGreaterThan(100);
    expect(trusted.filter((certificate) => !known.has(certificate))).toEqual([]);
    const elsewhere = await run(
      'grep --recursive --files-with-matches --binary-files=without-match --devices=skip ' +
        '--exclude-dir=proc --exclude-dir=sys --exclude-dir=dev -e "^-----BEGIN CERTIFICATE" / ' +
        '| grep --invert-match -e ^/etc/ssl/certs/ -e ^/usr/share/ca-certificates/mozilla/ || true',
    );
    expect(elsewhere).toBe('');
  });

  it('has no key, and none of the files that it was built with', async () => {
    const keys = await run(
      'grep --recursive --files-with-matches --binary-files=without-match --devices=skip ' +
        '--exclude-dir=proc --exclude-dir=sys --exclude-dir=dev -e "^-----BEGIN .*PRIVATE KEY" / || true',
    );
    expect(keys).toBe('');
    expect(await run('ls -d /build /root/.npm /etc/apt/apt.conf.d/99tribune 2>/dev/null || true')).toBe('');
  });

  it('is built of files alone: no layer and no line of its history has what the stages did', async () => {
    const history = z
      .array(z.object({ CreatedBy: z.string() }))
      .parse(await docker.getImage(image).history());
    const made = history.map(({ CreatedBy }) => CreatedBy).filter((by) => !by.includes('#(nop)'));
    expect(made).toEqual([]);
    expect(JSON.stringify(history)).not.toMatch(/CERTIFICATE|MIRROR|REGISTRY/);
  });
});
