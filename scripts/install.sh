#!/bin/sh
# Installs the program from release files: sh install.sh [FOLDER-OR-ADDRESS OF THE RELEASE] [PREFIX]
# Checks the file's sum before it is unpacked; puts `stepwright` into PREFIX/bin (~/.local if absent).
set -eu
from=${1:-.} prefix=${2:-"$HOME/.local"}
case "$(uname -s)-$(uname -m)" in
Linux-x86_64) machine=x86_64 ;;
Linux-aarch64 | Linux-arm64) machine=aarch64 ;;
*)
    echo "there is no release for $(uname -s) on $(uname -m); build it: cargo install --path ." >&2
    exit 1
    ;;
esac
# Without glibc, or with one before 2.28, the program that is linked with musl.
case "$(getconf GNU_LIBC_VERSION 2>/dev/null)" in
"" | "glibc 2."[0-9] | "glibc 2."1[0-9] | "glibc 2."2[0-7]) machine=$machine-musl ;;
esac
file=stepwright-$machine-linux.tar.gz
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
for name in "$file" SHA256SUMS; do
    case "$from" in
    http://* | https://*) curl -fsSL "$from/$name" -o "$place/$name" ;;
    *) cp "$from/$name" "$place/$name" ;;
    esac
done
(cd "$place" && grep " $file\$" SHA256SUMS | sha256sum -c - >/dev/null) || {
    echo "$file is not what SHA256SUMS says; nothing was installed" >&2
    exit 1
}
tar xzf "$place/$file" -C "$place"
mkdir -p "$prefix/bin"
install -m 755 "$place/stepwright/stepwright" "$prefix/bin/stepwright"
"$prefix/bin/stepwright" --version
case ":$PATH:" in
*":$prefix/bin:"*) ;;
*) echo "add $prefix/bin to PATH" ;;
esac
