// Runs inside a container and tries to get out of it, to change what it may only read, and to speak as somebody else.
// Each attempt that should fail is one line of JSON: what was tried, whether it worked, and what it came to.
//
// Arguments: JSON with `role` (agent or tester), `part` (quiet, processes, memory or space), `port` of the forwarder,
// `agentId` (a process of the agent), `hostPort`, `hostSecret` (a path of the host), and `secretFile`.
import { spawn, spawnSync } from 'node:child_process';
import dgram from 'node:dgram';
import dns from 'node:dns/promises';
import * as fs from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';

const given = JSON.parse(process.argv.at(-1));
const isTester = given.role === 'tester';
const scratch = fs.mkdtempSync(isTester ? '/workbench/tmp/attack-' : '/tmp/attack-');

function report(name, worked, detail) {
  console.log(JSON.stringify({ name, worked, detail: String(detail ?? '').slice(0, 200) }));
}

/** `attempt` throws or gives false where it failed. */
async function tries(name, attempt) {
  try {
    const result = await attempt();
    report(name, result !== false, result);
  } catch (thrown) {
    report(name, false, thrown.message);
  }
}

function succeeds(program, ...args) {
  const { status, error, stdout, stderr } = spawnSync(program, args, { timeout: 5_000, encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${status}: ${stderr}${stdout}`);
  return stdout;
}

/** System calls that no program makes for us, through Perl; numbers of x86-64 and of arm64. */
const calls = {
  ptrace: [101, 117],
  mount: [165, 40],
  unshare: [272, 97],
  setns: [308, 268],
  pivot_root: [155, 41],
  process_vm_readv: [310, 270],
  setuid: [105, 146],
  keyctl: [250, 219],
  bpf: [321, 280],
  open_by_handle_at: [304, 265],
  init_module: [175, 105],
  reboot: [169, 142],
  sethostname: [170, 161],
  settimeofday: [164, 170],
};
function systemCall(name, ...args) {
  const number = calls[name][process.arch === 'x64' ? 0 : 1];
  const script = `my @a = (${args.join(', ')}); my $r = syscall(${number}, @a); die "$!\\n" if $r < 0; print $r`;
  return succeeds('perl', '-e', script);
}

function connects(options) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(options);
    socket.setTimeout(1_500, () => socket.destroy(new Error('no answer')));
    socket.once('connect', () =>
      socket.write('GET /stolen HTTP/1.0\r\nauthorization: Bearer stolen\r\n\r\n'),
    );
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString());
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed without an answer')));
  });
}

function asksByUdp(address, port) {
  return new Promise((resolve, reject) => {
    const socket = dgram.createSocket('udp4').unref();
    setTimeout(() => reject(new Error('no answer')), 1_000).unref();
    socket.once('error', reject);
    socket.once('message', resolve);
    socket.send(Buffer.alloc(32), port, address, (error) => error && reject(error));
  });
}

const mounts = fs
  .readFileSync('/proc/self/mountinfo', 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split(' ')[4]);
const ofTheRoom = mounts.filter((point) => /^\/(?:snapshots|dependencies|gate)/.test(point));

async function writesToMounts() {
  if (ofTheRoom.length < 3) throw new Error(`Only ${ofTheRoom} are mounted.`);
  for (const point of [...ofTheRoom, '/snapshots/s1', '/snapshots/s1/src', '/snapshots/s1/sub']) {
    await tries(`create a file in ${point}`, () => fs.writeFileSync(join(point, 'new'), 'x'));
    await tries(`make a folder in ${point}`, () => fs.mkdirSync(join(point, 'new-folder')));
    await tries(`make a link in ${point}`, () => fs.symlinkSync('/etc/passwd', join(point, 'new-link')));
    await tries(`change the mode of ${point}`, () => fs.chmodSync(point, 0o777));
    await tries(`change the times of ${point}`, () => fs.utimesSync(point, 0, 0));
  }
  const file = '/snapshots/s1/src/total.js';
  await tries('overwrite a file', () => fs.writeFileSync(file, 'x'));
  await tries('append to a file', () => fs.appendFileSync(file, 'x'));
  await tries('shorten a file', () => fs.truncateSync(file));
  await tries('delete a file', () => fs.unlinkSync(file));
  await tries('move a file', () => fs.renameSync(file, `${file}.moved`));
  await tries('make a file executable', () => fs.chmodSync(file, 0o755));
  await tries('write through a symlink', () => {
    fs.symlinkSync(file, join(scratch, 'link'));
    fs.writeFileSync(join(scratch, 'link'), 'x');
  });
  await tries('write through a hard link', () => {
    fs.linkSync(file, join(scratch, 'hard'));
    fs.writeFileSync(join(scratch, 'hard'), 'x');
  });
  await tries('write through an open descriptor in /proc', () => {
    const descriptor = fs.openSync(file, 'r');
    fs.writeFileSync(`/proc/self/fd/${descriptor}`, 'x');
  });
  for (const link of ['absolute', 'relative']) {
    await tries(`read the host through a ${link} symlink of the work`, () =>
      fs.readFileSync(`/snapshots/s1/${link}-link`, 'utf8').includes('host secret'),
    );
  }
}

async function looksIntoProc() {
  const ofAgent = isTester ? [given.agentId] : [];
  for (const id of [1, ...ofAgent]) {
    for (const name of ['environ', 'mem', 'maps', 'stack', 'syscall']) {
      await tries(`read /proc/${id}/${name}`, () => {
        const descriptor = fs.openSync(`/proc/${id}/${name}`, name === 'mem' ? 'r+' : 'r');
        return fs.readSync(descriptor, Buffer.alloc(64)) > 0 || name === 'mem';
      });
    }
    for (const name of ['fd', 'root', 'cwd', 'map_files', 'task/' + id + '/fd']) {
      await tries(`list /proc/${id}/${name}`, () => fs.readdirSync(`/proc/${id}/${name}`));
    }
    for (const name of ['mount', 'net', 'pid', 'user']) {
      await tries(`enter the ${name} namespace of ${id}`, () =>
        succeeds('nsenter', `--target=${id}`, `--${name}`, 'true'),
      );
    }
    await tries(`trace ${id}`, () => systemCall('ptrace', 16, id, 0, 0));
    await tries(
      `read the memory of ${id}`,
      () => systemCall('process_vm_readv', id, 0, 0, 0, 0, 0).trim() !== '0',
    );
    await tries(`end ${id}`, () => {
      process.kill(id, 'SIGKILL');
    });
    await tries(`stop ${id}`, () => {
      process.kill(id, 'SIGSTOP');
    });
  }
  for (const path of [
    '/proc/sys/kernel/core_pattern',
    '/proc/sys/kernel/hostname',
    '/proc/sys/vm/drop_caches',
    '/proc/sys/net/ipv4/ip_forward',
    '/proc/sysrq-trigger',
    '/proc/1/oom_score_adj',
    '/sys/kernel/uevent_helper',
    '/sys/power/state',
    '/sys/fs/cgroup/memory/memory.limit_in_bytes',
    '/sys/fs/cgroup/pids/pids.max',
    '/sys/fs/cgroup/release_agent',
    '/sys/fs/cgroup/cgroup.procs',
    '/sys/fs/cgroup/memory.max',
    '/dev/mem',
    '/dev/kmsg',
    '/dev/vda',
    '/dev/sda',
  ]) {
    await tries(`write to ${path}`, () => fs.writeFileSync(path, '1'));
  }
  for (const path of ['/proc/kcore', '/dev/mem', '/dev/kmsg', '/etc/shadow', '/proc/kallsyms']) {
    await tries(`read ${path}`, () => {
      const buffer = Buffer.alloc(64);
      const read = fs.readSync(fs.openSync(path, 'r'), buffer);
      // Addresses are zero for whoever may not know them.
      return read > 0 && !buffer.toString().startsWith('0000000000000000');
    });
  }
}

async function gainsPower() {
  await tries('remount the root writable', () => succeeds('mount', '-o', 'remount,rw', '/'));
  await tries('remount the snapshots writable', () =>
    succeeds('mount', '-o', 'remount,bind,rw', '/snapshots'),
  );
  await tries('mount proc anew', () => succeeds('mount', '-t', 'proc', 'proc', scratch));
  await tries('unmount the snapshots', () => succeeds('umount', '-l', '/snapshots'));
  await tries('mount by a system call', () => systemCall('mount', '"none"', '"/tmp"', '"tmpfs"', 0, 0));
  await tries('take a new root', () => systemCall('pivot_root', '"/workbench"', '"/workbench"'));
  await tries('change the root', () => succeeds('chroot', '/', 'true'));
  for (const [name, flag] of Object.entries({
    user: 0x10000000,
    mount: 0x00020000,
    net: 0x40000000,
    pid: 0x20000000,
  })) {
    await tries(`make a ${name} namespace`, () => systemCall('unshare', flag));
  }
  await tries('become root by number', () => process.setuid(0));
  await tries('become root by a system call', () => systemCall('setuid', 0));
  await tries('become the other user', () => process.setuid(isTester ? 1000 : 1001));
  await tries('become root by su', () => succeeds('su', '-c', 'true'));
  await tries('use a program that changes its user', () => {
    const found = spawnSync('find', ['/', '-xdev', '-perm', '/6000', '-type', 'f'], {
      encoding: 'utf8',
    }).stdout.trim();
    return found === ''
      ? false
      : fs.readFileSync('/proc/self/status', 'utf8').includes('NoNewPrivs:\t0') && found;
  });
  await tries('load a kernel module', () => systemCall('init_module', '"x"', 1, '""'));
  await tries('load a program into the kernel', () => systemCall('bpf', 5, '"\\0" x 64', 64));
  await tries('read the kernel keyring', () => systemCall('keyctl', 0, -3, 1));
  await tries('open a file by its handle', () => systemCall('open_by_handle_at', 0, '"\\0" x 64', 0));
  await tries('restart the machine', () => systemCall('reboot', 0xfee1dead, 672274793, 0x1234567, 0));
  await tries('rename the machine', () => systemCall('sethostname', '"x"', 1));
  await tries('turn the clock', () => systemCall('settimeofday', '"\\0" x 16', 0));
  await tries('make a device', () => succeeds('mknod', join(scratch, 'disk'), 'b', '254', '0'));
  await tries('run a program from /tmp', () => {
    fs.copyFileSync('/bin/true', '/tmp/attack-true');
    fs.chmodSync('/tmp/attack-true', 0o755);
    return succeeds('/tmp/attack-true');
  });
}

async function reachesOut() {
  await tries('open a raw socket', () =>
    succeeds('perl', '-e', 'use Socket; socket(S, AF_INET, SOCK_RAW, 1) or die "$!\\n"'),
  );
  await tries('open a packet socket', () =>
    succeeds('perl', '-e', 'use Socket; socket(S, 17, SOCK_RAW, 768) or die "$!\\n"'),
  );
  await tries('ask for a name', () => dns.lookup('example.com'));
  await tries('ask a name server', () => asksByUdp('8.8.8.8', 53));
  for (const host of [
    '1.1.1.1',
    '169.254.169.254',
    '172.17.0.1',
    '10.0.2.2',
    'host.docker.internal',
    '127.0.0.1',
    '::1',
  ]) {
    await tries(`reach ${host}`, () => connects({ host, port: given.hostPort }));
  }
  await tries("reach the host's abstract socket", () => connects({ path: '\0tribune-attack' }));
  for (const path of [
    '/var/run/docker.sock',
    '/run/docker.sock',
    '/run/podman/podman.sock',
    '/run/containerd/containerd.sock',
  ]) {
    await tries(`reach ${path}`, () => connects({ path }));
  }
  await tries('read a secret of the host', () => fs.readFileSync(given.hostSecret, 'utf8'));
}

async function speaksAsTheAgent() {
  const { port } = given;
  await tries("reach the gate's socket", () => connects({ path: '/gate/gate.sock' }));
  await tries("list the gate's directory", () => fs.readdirSync('/gate'));
  for (const host of ['127.0.0.1', '::1', '::ffff:127.0.0.1', 'localhost', '0.0.0.0', '127.1.2.3']) {
    await tries(`reach the forwarder at ${host}`, () => connects({ host, port }));
  }
  // Whoever connects is looked up once: many at once, and gone ones, must not be taken for somebody else.
  await tries('reach the forwarder in a crowd', async () => {
    const crowd = await Promise.allSettled(
      Array.from({ length: 100 }, () => connects({ host: '127.0.0.1', port })),
    );
    return crowd.some(({ status }) => status === 'fulfilled');
  });
  await tries('speak before the forwarder looks', async () => {
    for (let time = 0; time < 100; time += 1) {
      await new Promise((done) => {
        const socket = net.connect({ host: '127.0.0.1', port }, () => {
          socket.end('GET /stolen HTTP/1.0\r\n\r\n');
        });
        socket.on('error', () => undefined);
        socket.on('close', done);
      });
    }
    return false;
  });
  await tries('listen in place of the forwarder', async () => {
    const server = net.createServer();
    await new Promise((listening, failed) =>
      server.once('error', failed).listen(port, '127.0.0.1', listening),
    );
    server.close();
  });
  await tries('listen beside the forwarder', () =>
    succeeds(
      'perl',
      '-e',
      `use Socket; socket(S, AF_INET, SOCK_STREAM, 6) or die; setsockopt(S, SOL_SOCKET, 15, pack("l", 1)) or die;
       setsockopt(S, SOL_SOCKET, SO_REUSEADDR, pack("l", 1)) or die;
       bind(S, pack_sockaddr_in(${port}, INADDR_LOOPBACK)) or die "$!\\n"; listen(S, 5) or die "$!\\n"`,
    ),
  );
  await tries("list the agent's home", () => fs.readdirSync('/home/agent'));
  await tries("read the agent's token", () => fs.readFileSync(given.secretFile, 'utf8'));
  await tries("find the agent's token in command lines", () =>
    fs
      .readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .some((name) => fs.readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('the token of the turn')),
  );
}

/** Children that live until this process ends. */
async function starts300Processes() {
  let started = 0;
  let refused = '';
  const children = [];
  for (let number = 0; number < 300 && refused === ''; number += 1) {
    await new Promise((done) => {
      try {
        const child = spawn('sleep', ['30'], { stdio: 'ignore' });
        children.push(child);
        child.once('spawn', () => done((started += 1)));
        child.once('error', (error) => done((refused = error.message)));
      } catch (thrown) {
        done((refused = thrown.message));
      }
    });
  }
  for (const child of children) child.kill('SIGKILL');
  report('start 300 processes', started >= 300, `${started} started; ${refused}`);
}

function allocates3GB() {
  const child = spawnSync(
    process.execPath,
    [
      '-e',
      'const all = []; for (let i = 0; i < 48; i += 1) all.push(Buffer.alloc(64 << 20, 1)); console.log("all")',
    ],
    { encoding: 'utf8' },
  );
  report('use 3 GB of memory', child.stdout.includes('all'), child.signal ?? child.status);
}

function fillsSpace() {
  const places = isTester ? ['/workbench/tmp', '/tmp', '/dev/shm'] : ['/home/agent', '/tmp', '/dev/shm'];
  const block = Buffer.alloc(8 << 20);
  const MOST_MB = 1100;
  for (const place of [...places, '/', '/var/tmp', '/etc', '/usr', '/snapshots', '/root', '/dev', '/run']) {
    let written = 0;
    let refused = '';
    const path = join(place, `fill-${process.pid}`);
    try {
      const descriptor = fs.openSync(path, 'w');
      while (written < MOST_MB) {
        fs.writeSync(descriptor, block);
        written += 8;
      }
    } catch (thrown) {
      refused = thrown.message;
    }
    report(
      `fill ${place}`,
      places.includes(place) ? written >= MOST_MB : written > 0,
      `${written} MB; ${refused}`,
    );
    if (written > 0) fs.rmSync(path);
  }
}

const parts = {
  async quiet() {
    await writesToMounts();
    await looksIntoProc();
    await gainsPower();
    await reachesOut();
    if (isTester) await speaksAsTheAgent();
  },
  processes: starts300Processes,
  memory: allocates3GB,
  space: fillsSpace,
};
await parts[given.part]();
report('end', false, 'the attack ran to its end');
process.exit();
