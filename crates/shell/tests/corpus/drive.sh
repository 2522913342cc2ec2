#!/bin/bash
# Runs lines in a throw-away namespace, as its first process. $1: folder of this script, $2: an empty folder that
# becomes a tmpfs, $3: a file with the lines, separated by NUL. Prints the number of each line and `same` or `changed`.
set -u
here=$1 base=$2 list=$3
[ $$ = 1 ] || { echo "not in a namespace of its own" >&2; exit 2; }
mapfile -d '' lines < "$list"
mount --make-rprivate / 2>/dev/null
mount -t tmpfs -o mode=755 tmpfs "$base" || exit 2
# Everything else cannot be written, whatever a line tries.
while read -r _ mount _; do
  case $mount in "$base"*|/proc*|/dev|/dev/*|/sys*) ;; *) mount -o remount,bind,ro "$mount" 2>/dev/null ;; esac
done < /proc/self/mounts
mount -t tmpfs tmpfs /tmp 2>/dev/null || true
case $base in /tmp/*) umount /tmp 2>/dev/null ;; esac
mkdir -p "$base/tmp" "$base/tree"
export TMPDIR=$base/tmp
bash "$here/fixture.sh" "$base/tree" >/dev/null 2>&1 || { echo "fixture failed" >&2; exit 2; }
cp -a "$base/tree" "$base/template"
cd "$base"
snapshot() {
  # The time of the last change of status (%C@) cannot be set by a program: any write to contents or metadata moves it.
  (cd "$base/tree" && find . -printf '%P %y %s %m %T@ %C@ %l\n' | sort) 2>/dev/null
}
before=$(snapshot)
for index in "${!lines[@]}"; do
  (
    cd "$base/tree/project" || exit
    exec env -i PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:$PATH" HOME="$base/tree/home" LANG=C.UTF-8 TERM=dumb \
      TMPDIR="$base/tmp" CARGO_HOME="${CARGO_HOME:-/nonexistent}" RUSTUP_HOME="${RUSTUP_HOME:-/nonexistent}" npm_config_cache="$base/tmp/npm" npm_config_update_notifier=false \
      GIT_OPTIONAL_LOCKS=0 PYTHONDONTWRITEBYTECODE=1 timeout -s KILL 5 bash -c "${lines[index]}" < /dev/null > /dev/null 2>&1
  ) 2> /dev/null
  # What the line left running may be about to write; a busy machine needs a moment for it.
  for _ in {1..40}; do kill -0 -1 2>/dev/null || break; sleep 0.025; done
  kill -9 -1 2>/dev/null
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
