// Runs in a container as the user of the agent's program, for as long as the container lives.
//
// - It listens on the container's loopback and passes connections on to the gate's socket, for processes of its own
//   user alone: commands of the work run as another user, and must not speak as the agent.
// - It does what the host asks on its standard input: lays files down for its user, counts processes, and ends all
//   processes of its user but itself, which one system call does at once, however many there are.
//
// Arguments: the path of the gate's socket, and the home of its user. Requests and answers are lines of JSON; the first
// line says where it listens.
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { endianness } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

const [socketPath, home] = process.argv.slice(-2);
const ownUser = process.getuid();

/** As /proc/net/tcp writes it: the address's 32-bit word in the machine's byte order, and the port. */
function tableAddress(address, port) {
  const bytes = address.split('.').map(Number);
  const ordered = endianness() === 'LE' ? bytes.reverse() : bytes;
  return `${Buffer.from(ordered).toString('hex')}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}

/** The users of the open ends of a connection to us, in the tables of IPv4 and of IPv6, which IPv4 can go through. */
function peerUsers(socket) {
  const peer = tableAddress(socket.remoteAddress, socket.remotePort);
  const own = tableAddress(socket.localAddress, socket.localPort);
  return ['/proc/net/tcp', '/proc/net/tcp6']
    .flatMap((table) => readFileSync(table, 'latin1').split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, remote, state]) => state === '01' && local?.endsWith(peer) && remote?.endsWith(own))
    .map((columns) => Number(columns[7]));
}

function isOwn(socket) {
  if (!/^[\d.]+$/.test(`${socket.remoteAddress}${socket.localAddress}`)) return false;
  const users = peerUsers(socket);
  return users.length === 1 && users[0] === ownUser;
}

const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, (peer) => {
  peer.on('error', () => peer.destroy());
  if (!isOwn(peer)) {
    peer.destroy();
    return;
  }
  const gate = connect({ path: socketPath, allowHalfOpen: true });
  gate.on('error', () => peer.destroy());
  gate.on('close', () => peer.destroy());
  peer.on('close', () => gate.destroy());
  peer.pipe(gate);
  gate.pipe(peer);
  peer.resume();
});

const deeds = {
  make_folder({ path }) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  },
  lay_down({ path, content }) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, content, { mode: 0o600 });
    chmodSync(path, 0o600);
  },
  remove({ path }) {
    rmSync(path, { recursive: true, force: true });
  },
  remove_own_in({ path }) {
    const own = readdirSync(path)
      .map((name) => join(path, name))
      .filter((entry) => lstatSync(entry).uid === ownUser);
    for (const entry of own) rmSync(entry, { recursive: true, force: true });
  },
  end_processes() {
    try {
      process.kill(-1, 'SIGKILL');
    } catch (thrown) {
      if (thrown.code !== 'ESRCH') throw thrown;
    }
  },
  count_processes({ user }) {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isAliveAndOf(name, user)).length;
  },
};

function isAliveAndOf(id, user) {
  try {
    const status = readFileSync(`/proc/${id}/status`, 'latin1');
    return /^State:\s+[^ZX]/m.test(status) && new RegExp(`^Uid:.*\\b${user}\\b`, 'm').test(status);
  } catch (thrown) {
    if (thrown.code === 'ENOENT' || thrown.code === 'ESRCH') return false;
    throw thrown;
  }
}

function say(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, deed, ...details } = JSON.parse(line);
    try {
      say({ id, value: deeds[deed](details) ?? null });
    } catch (thrown) {
      say({ id, problem: thrown.message, code: thrown.code ?? null });
    }
  })
  .on('close', () => process.exit());

// Where the image has this folder, the engine gives what it mounts there the mode that the image's own has.
chmodSync(home, 0o700);
server.listen({ host: '127.0.0.1', port: 0 }, () => say({ port: server.address().port }));
