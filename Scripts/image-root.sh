#!/bin/sh
# Makes the root directory of an image: programs, the shared libraries that they need, the time zones, and a shell.
#
#   image-root.sh DIRECTORY PROGRAM…
#
# The programs share one Swift runtime. Nothing else of the system is copied. It is run in the build stage of the
# Dockerfile, as root, with busybox-static and tzdata installed.
set -eu

root=$1
shift
mkdir -p "$root/usr/bin" "$root/usr/lib" "$root/usr/local/bin" "$root/usr/share" "$root/etc" "$root/tmp"
chmod 1777 "$root/tmp"
# The loader looks in /lib and /usr/lib, whatever the architecture; its own path begins with /lib or /lib64.
for name in bin lib lib64; do ln -sfn "usr/${name%64}" "$root/$name"; done

# Prints the files of the libraries that programs need, and the loader.
libraries() {
    ldd "$@" | sed -n 's/^.* => \(\/[^ ]*\) (0x.*$/\1/p; s/^[[:space:]]*\(\/[^ ]*\) (0x.*$/\1/p' | sort -u
}

for program; do
    strip -o "$root/usr/local/bin/$(basename "$program")" "$program"
done
if ldd "$@" | grep 'not found' >&2; then
    echo "image-root: libraries are missing; install them" >&2
    exit 69
fi
libraries "$@" | while read -r library; do
    file=$root/usr/lib/$(basename "$library")
    [ -e "$file" ] || strip --strip-unneeded -o "$file" "$library"
    chmod 755 "$file"
done

# A shell and small tools, for scripts in a container. Its own links, so that no path of the build stage is in the image.
cp /bin/busybox "$root/usr/bin/busybox"
for name in $("$root/usr/bin/busybox" --list); do
    [ -e "$root/usr/bin/$name" ] || ln -s busybox "$root/usr/bin/$name"
done
cp -a /usr/share/zoneinfo "$root/usr/share/zoneinfo"
rm -rf "$root/usr/share/zoneinfo/right" "$root/usr/share/zoneinfo/posix"

echo 'root:x:0:0::/:/usr/sbin/nologin
popup:x:10570:10570::/:/usr/sbin/nologin' > "$root/etc/passwd"
echo 'root:x:0:
popup:x:10570:' > "$root/etc/group"
echo 'hosts: files dns' > "$root/etc/nsswitch.conf"
