#!/bin/sh
# Dyno @VERSION@ in one file: unpacks itself once, and starts. No root; it needs Python 3.11, 3.12 or 3.13.
#
#   ./dyno-@VERSION@-x86_64.run [what dyno takes]     start it
#   ./dyno-@VERSION@-x86_64.run --add-to-desktop      also put it among the applications of this desktop
#   ./dyno-@VERSION@-x86_64.run --remove              remove what was unpacked; plans and history stay
set -eu
data=${XDG_DATA_HOME:-$HOME/.local/share}
folder=$data/dyno-run/@SUM@
self=$(readlink -f "$0")

unpack() {
    mkdir -p "${folder%/*}"
    new=$(mktemp -d "${folder%/*}/new-XXXXXX")
    trap 'rm -rf "$new"' EXIT
    sed '1,/^# ---- what follows is packed$/d' "$self" | tar -C "$new" --strip-components=1 -xJf -
    mv "$new" "$folder" 2>/dev/null || [ -d "$folder" ]  # another start may have been first
    rm -rf "$new"
    trap - EXIT
}

case ${1:-} in
    --remove)
        rm -rf "$data/dyno-run" "$data/applications/dyno.desktop" "$data/icons/hicolor/scalable/apps/dyno.svg"
        echo "Removed what was unpacked in $data/dyno-run."
        exit
        ;;
esac
[ -x "$folder/dyno" ] || unpack
if [ "${1:-}" = --add-to-desktop ]; then
    mkdir -p "$data/applications" "$data/icons/hicolor/scalable/apps"
    cp "$folder/dyno.svg" "$data/icons/hicolor/scalable/apps/"
    sed "s|^Exec=.*|Exec=\"$self\"|" "$folder/dyno.desktop" >"$data/applications/dyno.desktop"
    echo "Dyno is among the applications now: $data/applications/dyno.desktop"
    exit
fi
exec "$folder/dyno" "$@"
# ---- what follows is packed
