# Looks for a key in everything that a program can read of the `forelook` that it comes from, of the machine, and of the
# folder $1. The key comes in two parts, $2 and $3, so that it is in no command line. Says what it finds.
home=$1 first=$2 second=$3
holds() { printf '%s%s\n' "$first" "$second" | grep -aqF -f - -- "$@" 2> /dev/null; }
parent() { sed -n 's/^PPid:[[:space:]]*//p' "/proc/$1/status" 2> /dev/null; }
# The program that started us, if it can be seen. Others of that name are none of ours.
top= above=$$
while [ "${above:-0}" -gt 0 ]; do
    [ "$(cat "/proc/$above/comm" 2> /dev/null)" = forelook ] && top=$above
    above=$(parent "$above")
done
opens() { (exec 3< "$1") 2> /dev/null; }
for process in /proc/[0-9]*; do
    number=${process#/proc/}
    [ "$number" = $$ ] && continue
    holds "$process/environ" && echo "FOUND key in environ"
    holds "$process/cmdline" && echo "FOUND key in cmdline"
    { read -r name < "$process/comm"; } 2> /dev/null
    [ "$name" = forelook ] || continue
    [ -z "$top" ] || [ "$number" = "$top" ] || [ "$(parent "$number")" = "$top" ] || continue
    echo "LOOKED at $number"
    for file in mem task/"$number"/mem root/etc/passwd cwd/. fd/0 fd/1; do
        opens "$process/$file" && echo "FOUND $file"
    done
    # What these show holds no key, and new kernels show it to whoever may measure the machine. Others do not see it.
    for file in environ maps smaps numa_maps auxv pagemap task/"$number"/environ task/"$number"/maps; do
        opens "$process/$file" && echo "SHOWN $file"
    done
    ls "$process/fd" > /dev/null 2>&1 && echo "SHOWN fd"
    ls "$process/map_files" > /dev/null 2>&1 && echo "SHOWN map_files"
    for link in exe cwd root ns/user; do
        readlink "$process/$link" > /dev/null 2>&1 && echo "FOUND $link"
    done
    holds <(unshare -Ur cat "$process/environ" 2> /dev/null) && echo "FOUND environ as root of a namespace"
    unshare -Ur head -c 1 "$process/fd/1" > /dev/null 2>&1 && echo "FOUND fd as root of a namespace"
    nsenter -t "$number" -m true > /dev/null 2>&1 && echo "FOUND mounts"
    command -v python3 > /dev/null && python3 - "$number" << 'PYTHON'
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
number = int(sys.argv[1])
class Piece(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
room = ctypes.create_string_buffer(8)
here = Piece(ctypes.cast(room, ctypes.c_void_p), 8)
there = Piece(0x1000, 8)
# A wrong address is another error than a refusal.
if libc.process_vm_readv(number, ctypes.byref(here), 1, ctypes.byref(there), 1, 0) >= 0 or ctypes.get_errno() == 14:
    print("FOUND process_vm_readv")
handle = libc.syscall(434, number, 0)
if handle >= 0 and libc.syscall(438, handle, 0, 0) >= 0:
    print("FOUND pidfd_getfd")
if libc.ptrace(0x4206, number, None, None) == 0:
    print("FOUND ptrace")
PYTHON
done
opens /proc/kcore && echo "FOUND kcore"
opens /dev/mem && echo "FOUND dev/mem"
holds <(env) && echo "FOUND key in our own environment"
printf '%s%s\n' "$first" "$second" | grep -rlaF -f - "$home" 2> /dev/null | sed 's/^/FOUND key in /'
echo "HUNTED as $(id -u)"
