#!/bin/bash
# Runs lines where they can change nothing but a tmpfs, as the first process of namespaces of its own (mounts, network,
# processes, host name, IPC). $1: a file with the lines, separated by NUL, $2: seconds that a line may take. Prints the
# number of each line and `same` or `changed`.
#
# Namespaces do not part the clock, the kernel's log, swap or most of /proc/sys, so the rights to those are given up
# before the first line runs, and everything that is left is mounted read-only. What cannot be given up ends the run.
set -u
refuse() { echo "drive.sh: $1" >&2; exit 2; }
[ $$ = 1 ] || refuse "not in a namespace of its own"
base=/tmp/corpus
# Enough to change any file of the tmpfs, and nothing else.
rights=chown,dac_override,dac_read_search,fowner,fsetid,kill,setgid,setuid

set_up() {
  mount --make-rprivate / || refuse "mounts cannot be parted"
  device_files
  # Sockets of daemons can be written to on a read-only mount, so they must not be there.
  [ ! -d /run ] || mount -t tmpfs -o ro tmpfs /run || refuse "no /run"
  mount -t tmpfs -o mode=1777 tmpfs /tmp || refuse "no tmpfs"
  local mount
  while read -r _ mount _; do
    case $mount in /tmp|/dev/?*) ;; *) mount -o remount,bind,ro "$mount" 2>/dev/null ;; esac
  done < /proc/self/mounts
}

# Bound one by one: making nodes needs a right that a user namespace does not give.
device_files() {
  local name devices
  devices=$(mktemp -d) && mount -t tmpfs -o mode=755 tmpfs "$devices" || refuse "no tmpfs"
  for name in null zero full random urandom; do
    : > "$devices/$name" && mount --bind "/dev/$name" "$devices/$name" || refuse "no /dev/$name"
  done
  # Whoever watches the terminal is no part of the experiment.
  : > "$devices/tty" && mount --bind /dev/null "$devices/tty" || refuse "no /dev/tty"
  mkdir "$devices/pts" "$devices/shm"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$devices/pts" || refuse "no /dev/pts"
  ln -s pts/ptmx "$devices/ptmx"
  ln -s /proc/self/fd "$devices/fd"
  for name in stdin:0 stdout:1 stderr:2; do ln -s "/proc/self/fd/${name#*:}" "$devices/${name%:*}"; done
  mount --rbind "$devices" /dev || refuse "no /dev"
  umount -l "$devices" && rmdir "$devices"
}

# Trusting the set-up once cost a machine its clock.
check() {
  local mount key value
  while read -r key value; do
    # The bits of the eight rights above; no process can get another one back.
    [ "$key" != CapBnd: ] || (( (16#$value & ~16#ff) == 0 )) || refuse "rights are left: $value"
    [ "$key" != NoNewPrivs: ] || [ "$value" = 1 ] || refuse "rights can be gained"
  done < /proc/self/status
  while read -r _ mount _; do
    case $mount in /tmp|/dev/?*) ;; *) [ ! -w "$mount" ] || refuse "$mount can be written" ;; esac
  done < /proc/self/mounts
  for mount in /proc/sys/kernel/hostname /proc/sysrq-trigger /sys/power/state /dev/kmsg /dev/mem; do
    [ ! -w "$mount" ] || refuse "$mount can be written"
  done
}

snapshot() {
  # The time of the last change of status (%C@) cannot be set by a program: any write to contents or metadata moves it.
  (cd "$base/tree" && find . -printf '%P %y %s %m %T@ %C@ %l\n' | sort) 2>/dev/null
}

run() {
  (
    cd "$base/tree/project" || exit
    exec env -i PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:$PATH" HOME="$base/tree/home" LANG=C.UTF-8 TERM=dumb \
      TMPDIR="$base/tmp" CARGO_HOME="${CARGO_HOME:-/nonexistent}" RUSTUP_HOME="${RUSTUP_HOME:-/nonexistent}" npm_config_cache="$base/tmp/npm" npm_config_update_notifier=false \
      GIT_OPTIONAL_LOCKS=0 PYTHONDONTWRITEBYTECODE=1 timeout -s KILL "$limit" bash -c "$1" < /dev/null > /dev/null 2>&1
  ) 2> /dev/null
  # What the line left running may be about to write; a busy machine needs a moment for it.
  for _ in {1..40}; do kill -0 -1 2>/dev/null || break; sleep 0.025; done
  kill -9 -1 2>/dev/null
}

run_all() {
  local index before after
  before=$(snapshot)
  for index in "${!lines[@]}"; do
    run "${lines[index]}"
    after=$(snapshot)
    if [ "$before" = "$after" ]; then
      printf '%s\tsame\n' "$index"
    else
      printf '%s\tchanged\t%s\n' "$index" "$(diff <(printf %s "$before") <(printf %s "$after") | grep '^[<>]' | head -4 | cut -c1-80 | tr '\n\t' '; ')"
      rm -rf "$base/tree"
      cp -a "$base/template" "$base/tree"
      before=$(snapshot)
    fi
  done
}

if [ "$1" != --set-up-done ]; then
  list=$1 limit=$2 here=${BASH_SOURCE[0]%/*}
  # Read before /tmp is hidden: the lines, and this folder, may be there.
  lines=$(base64 -w0 < "$list") && fixture=$(< "$here/fixture.sh") && me=$(< "${BASH_SOURCE[0]}") || refuse "nothing to run"
  set_up
  mkdir -p "$base/tmp" "$base/tree"
  export TMPDIR=$base/tmp
  bash -c "$fixture" fixture "$base/tree" >/dev/null 2>&1 || refuse "the fixture failed"
  cp -a "$base/tree" "$base/template"
  printf %s "$lines" | base64 -d > "$base/lines"
  printf '%s\n' "$me" > "$base/drive.sh"
  cd "$base"
  exec setpriv --bounding-set="-all,+${rights//,/,+}" --inh-caps=-all --no-new-privs bash "$base/drive.sh" --set-up-done "$limit"
fi
limit=$2
check
mapfile -d '' lines < "$base/lines"
rm "$base/lines" "$base/drive.sh"
run_all
