#!/bin/sh
# Installs what Dyno needs beside git and make; the Makefile calls it.
#
#   sh install.sh run     to use Dyno: Debian packages, and a private Python environment in .venv
#   sh install.sh test    also what `make test` needs
#   sh install.sh full    also what `make full` needs
#   sh install.sh lint    only .venv with the tools for developers
#   sh install.sh desktop an entry among the applications of this user's desktop
#
# As root it installs the missing Debian packages, naming each first; else it prints the line to run, and stops.
set -eu
cd "$(dirname "$0")"

# The Debian packages, here and nowhere else. COMMAND/PACKAGE: only where that command is missing.
for_run="
    mariadb-server mariadb-backup mariadb-plugin-rocksdb sysbench/sysbench
    libegl1 libgl1 libxkbcommon-x11-0 libdbus-1-3 libfontconfig1 libglib2.0-0 fonts-dejavu-core
    libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0
    libxcb-shape0 libxcb-xfixes0 libxcb-xkb1 libx11-xcb1"
for_test="libjemalloc2 libtcmalloc-minimal4 numactl/numactl perf/linux-perf eu-stack/elfutils gdb/gdb gcc/gcc libc6-dev valgrind/valgrind
    openssh-server iproute2 haproxy/haproxy xvfb xdotool openbox npm/npm chromium shellcheck/shellcheck zsh/zsh fish/fish"
for_full="mariadb-plugin-mroonga mariadb-plugin-spider mvn/maven mkfs.xfs/xfsprogs debootstrap/debootstrap xterm/xterm"
# Dyno starts servers of its own: these services, where a package brings them, are not wanted.
services="mariadb ssh haproxy"

case ${1:-} in
    run) packages=$for_run locked='' ;;
    test) packages="$for_run $for_test" locked=-dev ;;
    full) packages="$for_run $for_test $for_full" locked=-dev ;;
    lint) packages='' locked=-dev ;;
    desktop) ;;
    *) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac

share=${XDG_DATA_HOME:-$HOME/.local/share}

add_to_desktop() {
    mkdir -p "$share/applications" "$share/icons/hicolor/scalable/apps"
    cp resources/icons/dyno.svg "$share/icons/hicolor/scalable/apps/dyno.svg"
    sed "s|^Exec=.*|Exec=\"$PWD/.venv/bin/dyno\"|" resources/dyno.desktop >"$share/applications/dyno.desktop"
    echo "Dyno is among the applications now: $share/applications/dyno.desktop"
}

if [ "${1:-}" = desktop ]; then
    add_to_desktop
    exit
fi

stop() {
    printf '%s\n' "$*" >&2
    exit 1
}

is_there() {  # COMMAND/PACKAGE or PACKAGE
    case $1 in
        */*) command -v "${1%/*}" >/dev/null && return 0 ;;
    esac
    case " $installed" in
        *" ${1#*/} "* | *" ${1#*/}t64 "*) ;;  # newer Debians renamed some libraries
        *) return 1 ;;
    esac
}

name_installed() {  # asked once for all of them: dpkg-query takes as long for one
    [ -n "$packages" ] || return 0
    for package in $packages; do
        set -- "$@" "${package#*/}" "${package#*/}t64"
    done
    dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p' | tr '\n' ' '
}

# ---- Python 3.11 or newer

suits() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

works() {  # .venv, with the Python it was made with
    .venv/bin/python -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() {
    for candidate in ${PYTHON:-} python3.11 python3 python3.13 python3.12; do
        if suits "$candidate"; then
            echo "$candidate"
            return
        fi
    done
}

name_missing() {
    installed=$(name_installed)
    for package in $packages; do
        is_there "$package" || printf '%s ' "${package#*/}"
    done
    ! works || return 0
    python=$(find_python)
    if [ -z "$python" ]; then
        printf 'python3 python3-venv '
    elif ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        printf 'python3-venv '
    fi
}

# ---- Debian packages

# --no-remove: a server of the person's own, which a package may be in conflict with, stays
options="--no-install-recommends --no-remove"

apt_install() {
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y $options "$@" </dev/null
}

quietly() {  # what a command says is shown where it fails
    said=$("$@" 2>&1) || { echo "$said" >&2; return 1; }
}

refuse_services() {  # packages must not start services while we install them; a refusal that is there stays
    policy=/usr/sbin/policy-rc.d
    [ -e "$policy" ] && return
    trap 'rm -f "$policy"' EXIT
    trap 'exit 1' INT TERM HUP
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
}

known_services() {
    command -v systemctl >/dev/null || return 0
    for service in $services; do
        systemctl cat "$service" >/dev/null 2>&1 && printf '%s ' "$service"
    done
    return 0
}

install_packages() {
    echo "Installing them with apt-get"
    before=$(known_services)
    refuse_services
    if ! ls /var/lib/apt/lists/*_Packages* >/dev/null 2>&1; then
        quietly apt-get update -q
    fi
    quietly apt_install "$@" || { quietly apt-get update -q && quietly apt_install "$@"; } ||
        stop "apt-get could not install the packages named above."
    for service in $(known_services); do
        case " $before" in
            *" $service "*) ;;
            *) systemctl disable -q "$service" && echo "The service $service came with a package and is switched off." ;;
        esac
    done
}

ask_for_root() {
    echo "They need root to be installed. Run this line, then make again:

  sudo apt-get install $options ${missing% }
"
    case $missing in
        *mariadb-server*) echo "(It starts Debian's MariaDB service, which Dyno does not use:" \
            "sudo systemctl disable --now mariadb)" ;;
    esac
    exit 1
} >&2

missing=$(name_missing)
if [ -n "$missing" ] && ! command -v apt-get >/dev/null; then
    echo "This is not Debian; going on without: $missing" >&2
elif [ -n "$missing" ]; then
    echo "Debian packages that are missing:"
    printf '  %s\n' $missing
    [ "$(id -u)" = 0 ] || ask_for_root
    install_packages $missing
fi

# ---- the private Python environment

is_fresh() {  # STAMP: written after the last change of what is needed, for this very folder
    [ "$(cat "$1" 2>/dev/null)" = "$PWD" ] || return 1
    for needed in setup.cfg pyproject.toml requirements.txt requirements-dev.txt; do
        [ ! "$needed" -nt "$1" ] || return 1
    done
}

make_environment() {
    python=$(find_python)
    [ -n "$python" ] || stop "Python 3.11 or newer is needed, and none was found. PYTHON=FILE names one."
    rm -rf .venv
    "$python" -m venv .venv || stop "$python could not make a Python environment in .venv: see above."
}

pip_install() {  # what setup.cfg allows is locked in requirements*.txt, by version and hash
    .venv/bin/python -m pip install -q --disable-pip-version-check "$@" ||
        stop "pip could not install them: see above. Is the network there?"
}

stamp=.venv/installed$locked
if ! works || { ! is_fresh "$stamp" && ! is_fresh .venv/installed-dev; }; then
    if ! works || ! grep -qs "^#!$PWD/" .venv/bin/pip; then
        make_environment
    fi
    echo "Installing Dyno and the Python packages it needs in .venv"
    pip_install --require-hashes --only-binary=:all: -r "requirements$locked.txt"
    pip_install --no-deps --no-build-isolation -e .
    echo "$PWD" >"$stamp"
fi
