# Tries, in a container that was just started, what must not be possible in it. Each attempt is a line: its name, `held`
# or `broken`, and what the system said to it, with tabs between.
#
# Arguments: `agent` or `tester`, then the mounts that are writable on purpose. Run it in bash as that user.
shopt -s nullglob
role=$1
shift
writable=" /dev /dev/mqueue /dev/pts /dev/shm /home/agent /proc /tmp /workbench $* "

# attempt <name> <command>…: the seal holds where the command fails.
attempt() {
  local name=$1 said outcome=held
  shift
  said=$("$@" 2>&1) && outcome=broken
  said=${said//[$'\t\n']/ }
  printf '%s: %s\t%s\t%s\n' "$role" "$name" "$outcome" "${said:0:160}"
}

# Devices such as /dev/null, which the engine mounts over what nobody shall read, are no files to write to.
write_in() {
  if [ -d "$1" ]; then
    : >"$1/.tribune-probe"
  else
    [ -f "$1" ] && : >>"$1"
  fi
}

write_in_one_of() {
  local place written=1
  for place in "$@"; do
    write_in "$place" 2>/dev/null && written=0 && echo "$place"
  done
  return "$written"
}

is_writable_by_its_options() {
  [[ ,$1, != *,ro,* ]] && echo "mounted with $1"
}

system_mounts=()
while read -r _ _ _ _ point options _; do
  case $writable in *" $point "*) continue ;; esac
  case $point in
    /snapshots* | /dependencies* | /gate* | /worktree*)
      attempt "write to the mount $point" write_in "$point"
      attempt "have $point mounted writable" is_writable_by_its_options "$options"
      ;;
    *) system_mounts+=("$point") ;;
  esac
done </proc/self/mountinfo
attempt 'write to a mount of the system' write_in_one_of "${system_mounts[@]}"
attempt 'write to the root file system' write_in_one_of / /etc /usr/bin /opt /root /var/tmp /home

find_socket() {
  local path
  for path in {/var,}/run/{docker,podman/podman,containerd/containerd}.sock; do
    [ -e "$path" ] && echo "$path" && return
  done
  return 1
}
attempt "find the container engine's socket" find_socket

find_interface() {
  local line
  while read -r line; do
    case $line in lo:* | Inter-* | face*) ;; *) echo "$line" && return ;; esac
  done </proc/net/dev
  return 1
}
attempt 'find a network' find_interface
for address in 1.1.1.1/443 169.254.169.254/80 172.17.0.1/22; do
  attempt "reach $address" timeout 0.3 bash -c ": </dev/tcp/$address"
done

status() {
  local name value
  while read -r name value; do
    [ "$name" = "$1:" ] && REPLY=$value && return
  done </proc/self/status
  return 1
}
have_capability() {
  local set
  for set in CapInh CapPrm CapEff CapBnd CapAmb; do
    status "$set" && [ "$REPLY" = 0000000000000000 ] || { echo "$set $REPLY" && return; }
  done
  return 1
}
may_gain_privileges() {
  status NoNewPrivs && [ "$REPLY" = 1 ] && return 1
  echo "NoNewPrivs $REPLY"
}
lack_filter() {
  status Seccomp && [ "$REPLY" = 2 ] && return 1
  echo "Seccomp $REPLY"
}
attempt 'be root' test "$EUID" -eq 0
attempt 'have a capability' have_capability
attempt 'gain privileges' may_gain_privileges
attempt 'make system calls without a filter' lack_filter
attempt 'gain capabilities in a user namespace' unshare --user --map-root-user true
attempt 'make a mount namespace' unshare --mount true
attempt 'mount' mount -t tmpfs none /tmp
attempt 'remount the root file system' mount -o remount,rw /

if [ "$role" = agent ]; then
  attempt "write to the commands' copy" write_in /workbench
  exit
fi

attempt "read the agent's home" ls /home/agent
reach_gate() {
  test -r /gate/gate.sock -o -w /gate/gate.sock
}
attempt "reach the gate's socket" reach_gate

# Each child waits for a name that never comes. The shell that cannot fork ends at once.
fork_300() {
  mkfifo /tmp/tribune-probe
  sh -c 'for i in 1 2 3; do for j in 0 1 2 3 4 5 6 7 8 9; do for k in 0 1 2 3 4 5 6 7 8 9; do
    (read -r name </tmp/tribune-probe) &
  done; done; done'
}
# In this shell, for there may be no process left to run it in.
fork_300 2>/tmp/tribune-probe-said
kill -9 -1
said=$(</tmp/tribune-probe-said)
outcome=broken
[[ $said == *'annot fork'* ]] && outcome=held
said=${said//[$'\t\n']/ }
printf '%s: %s\t%s\t%s\n' "$role" 'start 300 processes' "$outcome" "${said:0:160}"
rm -f /tmp/tribune-probe /tmp/tribune-probe-said
