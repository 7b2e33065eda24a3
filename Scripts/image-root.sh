#!/bin/sh
# Makes the root directory of an image: programs, the shared libraries that they need, the time zones, and a shell; with the
# licenses of all of them.
#
#   image-root.sh DIRECTORY LICENSES PROGRAM…
#
# LICENSES is a file that Scripts/licenses.py wrote for these programs. The programs share one Swift runtime. Nothing else of
# the system is copied. It is run in the build stage of the Dockerfile, as root, with busybox-static and tzdata installed.
set -eu

root=$1
licenses=$2
shift 2
documents=$root/usr/share/doc
mkdir -p "$root/usr/bin" "$root/usr/lib" "$root/usr/local/bin" "$documents/popup-broker" "$root/etc" "$root/tmp"
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

# The Debian packages from which the libraries are. Those of the toolchain are from none: LICENSES has their license.
packages='busybox-static tzdata'
for library in $(libraries "$@"); do
    case $(basename "$library") in
        libswift* | libFoundation* | lib_Foundation* | libdispatch.so | libBlocksRuntime.so) continue ;;
    esac
    # /lib is a link to /usr/lib, and a package may name its files by either.
    owner=$(dpkg -S "$library" 2>/dev/null || dpkg -S "/usr$library" 2>/dev/null || dpkg -S "${library#/usr}" 2>/dev/null) || {
        echo "image-root: $library is from no Debian package: its license is not known" >&2
        exit 69
    }
    packages="$packages ${owner%%:*}"
done

cp "$licenses" "$documents/popup-broker/licenses.txt"
for package in $(printf '%s\n' $packages | sort -u); do
    if [ ! -e "/usr/share/doc/$package/copyright" ]; then
        echo "image-root: /usr/share/doc/$package/copyright is missing; \`apt-get install --reinstall $package\` brings it, unless dpkg is told to leave it out" >&2
        exit 69
    fi
    mkdir -p "$documents/$package"
    cp -L "/usr/share/doc/$package/copyright" "$documents/$package/copyright"
    dpkg-query --show --showformat='${Package} ${Version}, source: ${source:Package} ${source:Version}\n' "$package"
done > "$documents/popup-broker/debian-packages.txt"
# What the files above refer to.
cp -a /usr/share/common-licenses "$root/usr/share/common-licenses"
chmod -R a+rX "$root/usr/share"

echo 'root:x:0:0::/:/usr/sbin/nologin
popup:x:10570:10570::/:/usr/sbin/nologin' > "$root/etc/passwd"
echo 'root:x:0:
popup:x:10570:' > "$root/etc/group"
echo 'hosts: files dns' > "$root/etc/nsswitch.conf"
