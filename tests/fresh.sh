#!/bin/sh
# Follows the README on a new Debian: makes one, clones Dyno into it, and carries out the commands there.
#
#   tests/fresh.sh [options] SUITE...
#
#   12             Debian 12, main archive only      13            Debian 13
#   12-security    Debian 12 with all its updates    container     Debian 12, minimal, no devices, an overlay at /
#
#   --who root,user    whose commands: those of root, those of a user with sudo
#   --what WORD,...    run     make run without a display
#                      window  make run on a display, until its window is there
#                      test    make test
#                      unit    the begin of make test: packages, style, types, and the tests of agent, command line and
#                              links, which a system may change (not done without --what)
#                      closing the window opened 200 times and closed at any moment (not done without --what)
#                      deb     the package of dist/ installed, its menu entry, its window, completion and manual;
#                              removed (not without --what)
#                      file    the same with the AppImage, without root (not without --what)
#   --folder DIR       where to make the systems (default: ${TMPDIR:-/tmp})
#   --logs DIR         keep the output of each command there
#   --bases DIR        keep what debootstrap makes there, and begin with it where it is there
#
# The clone has what is committed. Its path has a space and an umlaut, umask is 077. Each system is new for the first
# command of root or user; the next ones find what that has installed. This machine's archive, proxy, pip and npm
# settings are carried over, and server builds that were fetched here.
# Needs root. Processes and mounts end with their namespace; what is written is removed at the end, also after Ctrl+C.
set -eu

usage() {
    sed -n '2,/^set /s/^# \{0,1\}//p' "$0" | sed '$d'
    exit 2
}

stop() {
    printf '%s\n' "$*" >&2
    exit 1
}

begin() {  # COMMAND: with processes and mounts that end with it
    unshare --mount --pid --ipc --uts --fork --kill-child=KILL "$@" &
    job=$!
}

finish() {
    code=0
    wait "$job" || code=$?
    job=''
    return $code
}

# ---- a system

mirror() {  # ARCHIVE: where this machine has debian or debian-security from
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
        grep -v '^ *#' | grep -o "[a-z]*://[^ ]*/$1/*\( \|$\)" | head -n 1 | tr -d ' '
}

make_base() {  # SUITE INTO: what debootstrap makes, with what the README begins with
    if [ -d "$bases/$1" ]; then
        cp -a --reflink=auto "$bases/$1" "$2"
        return
    fi
    series=bookworm variant=
    case $1 in 13) series=trixie ;; container) variant=--variant=minbase ;; esac
    from=$(mirror debian)
    # shellcheck disable=SC2086
    begin debootstrap $variant --include=git,make,sudo,ca-certificates $series "$2" "$from" >"$2.log" 2>&1
    finish || { tail -n 20 "$2.log" >&2; stop "debootstrap could not make $1 from $from"; }
    carry_over "$2"
    if [ "$1" = 12-security ]; then
        echo "deb $from $series-updates main" >>"$2/etc/apt/sources.list"
        echo "deb $(mirror debian-security) $series-security main" >>"$2/etc/apt/sources.list"
        begin chroot "$2" sh -c 'apt-get update -q && apt-get upgrade -q -y' >>"$2.log" 2>&1
        finish || { tail -n 20 "$2.log" >&2; stop "apt-get could not bring $1 up to date"; }
    fi
    chroot "$2" useradd --create-home --shell /bin/bash ann
    echo 'ann ALL=(ALL) NOPASSWD: ALL' >"$2/etc/sudoers.d/ann"
    if [ -n "$bases" ]; then
        cp -a --reflink=auto "$2" "$bases/$1.new"
        mv "$bases/$1.new" "$bases/$1"
    fi
}

carry_over() {  # INTO: how this machine reaches the network
    cp -L /etc/resolv.conf /etc/hosts "$1/etc/"
    for file in /etc/apt/apt.conf /etc/apt/apt.conf.d/*proxy* /etc/pip.conf /etc/npmrc \
        /usr/local/share/ca-certificates/*.crt; do
        if [ -f "$file" ]; then
            mkdir -p "$1${file%/*}"
            cp -L "$file" "$1$file"
        fi
    done
    chroot "$1" update-ca-certificates >/dev/null 2>&1 || stop "$1 does not take over this machine's certificates"
    echo force-unsafe-io >"$1/etc/dpkg/dpkg.cfg.d/fresh"  # what ends with the test need not reach the disk
}

settings() {  # the same, of the environment, without what names files that are not there
    env | grep -i -E '^([a-z]+_proxy|pip_|npm_config_|[a-z_]*_(cert|ca)[a-z_]*)' | grep -E '=([^/]|/etc/)' || true
}

enter() {  # SYSTEM SUITE DISPLAY: mounts what a machine has, or a container; all in a namespace that ends with it
    mount --make-rprivate /
    if [ "$2" = container ]; then
        mount -t overlay -o "lowerdir=$1,upperdir=$1.over/upper,workdir=$1.over/work" overlay "$1"
        make_devices "$1/dev"
    else
        mount --bind "$1" "$1"
        mount --rbind /dev "$1/dev"
    fi
    mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm"
    mount -t proc proc "$1/proc"
    mount --rbind /sys "$1/sys"
    builds=${DYNO_BUILDS:-$HOME/.cache/dyno-builds}
    mkdir -p "$1/srv/builds"
    if [ -d "$builds" ]; then
        mount --bind "$builds" "$1/srv/builds"
        mount -o remount,bind,ro "$1/srv/builds"
    fi
    if [ -n "$3" ]; then
        mkdir -p "$1/tmp/.X11-unix"
        mount --bind /tmp/.X11-unix "$1/tmp/.X11-unix"
    fi
}

make_devices() {  # FOLDER: those of a container
    mount -t tmpfs -o mode=755 tmpfs "$1"
    for device in null zero full random urandom tty; do
        : >"$1/$device"
        mount --bind "/dev/$device" "$1/$device"
    done
    mkdir "$1/pts" "$1/shm"
    mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$1/pts"
    ln -s pts/ptmx "$1/ptmx"
    ln -s /proc/self/fd "$1/fd"
}

# ---- a command in it

commands='
umask 077
cd "$HOME/Mein Prüfstand/dyno"
said=$(mktemp)
obey() {  # COMMAND: where it prints a line to run, run that, and the command again
    "$@" >"$said" 2>&1 && cat "$said" && return
    cat "$said"
    line=$(sed -n "s/^  \(sudo apt-get install .*\)/\1 -y/p" "$said")
    [ -n "$line" ] && sh -c "$line" && "$@"
}
completes() {  # LINE WORD: what bash makes of the line at a Tab, by the files of the package
    bash -c '"'"'. /usr/share/bash-completion/bash_completion && { _comp_load dyno || _completion_loader dyno || true; } 2>/dev/null
        COMP_LINE=$1 COMP_POINT=${#1} && _dyno dyno && echo "$1: ${COMPREPLY[*]}" && [ "${COMPREPLY[*]}" = "$2" ]'"'"' bash "$@"
}
case $1 in
    run | window) obey make run ;;
    test) obey sh install.sh test && make test ;;
    unit) obey sh install.sh test && make lint && .venv/bin/pytest -m "not full" tests/unit/agent tests/unit/cli tests/unit/remote ;;
    closing) obey sh install.sh test && .venv/bin/pytest -m "full and alone" tests/ui/test_leaving.py ;;
    deb)
        sudo apt-get update -q && sudo apt-get install -q -y --no-install-recommends /srv/dist/dyno_*.deb desktop-file-utils &&
            desktop-file-validate /usr/share/applications/dyno.desktop && dyno --version && dyno doctor && dyno &&
            sudo apt-get install -q -y --no-install-recommends man-db bash-completion &&
            completes "dyno run --sequence qu" quick && completes "dyno se" "server sequence session" &&
            man dyno-run | grep -q -e --sequence && man -k dyno | grep -q "^dyno-run " &&
            sudo apt-get remove -q -y dyno && ! [ -e /usr/lib/dyno ] && ! [ -e /usr/bin/dyno ]
        ;;
    file)
        sudo apt-get update -q && file=$(echo /srv/dist/dyno-*.AppImage) && "$file" --version &&
            line=$("$file" doctor | sed -n "s/^install them: //p") &&
            { [ -z "$line" ] || sh -c "$line -y"; } && "$file" doctor | grep -q "^install them" && exit 1
        "$file" --add-to-desktop && "$file" && "$file" --remove && ! [ -e "$HOME/.local/share/dyno-appimage" ]
        ;;
esac
'

attempt() {  # SYSTEM SUITE WHO WHAT DISPLAY: one command of one of the two
    enter "$1" "$2" "$5"
    user=root home=/root
    [ "$3" = root ] || user=ann home=/home/ann
    set -- "$1" "$4" ${5:+"DISPLAY=$5"}
    system=$1 what=$2
    shift 2
    while IFS= read -r line; do
        set -- "$@" "$line"
    done <<EOF
$(settings)
EOF
    [ -n "$(ls "$system/srv/builds")" ] && set -- "$@" DYNO_BUILDS=/srv/builds
    exec chroot --userspec="$user" "$system" env -i "HOME=$home" "USER=$user" TERM=dumb \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@" \
        sh -c "$commands" sh "$what" </dev/null
}

# ---- all of it

{  # read as a whole before it runs: the file may change meanwhile
if [ "${1:-}" = attempt ]; then  # in a namespace of its own, see carry_out
    shift
    attempt "$@"
fi

who=root,user what=run,window,test in=${TMPDIR:-/tmp} logs='' bases='' suites=''
unset TMPDIR  # it names no folder of the systems that are made
while [ $# -gt 0 ]; do
    case $1 in
        --who) who=${2:?}; shift ;;
        --what) what=${2:?}; shift ;;
        --folder) in=${2:?}; shift ;;
        --logs) logs=${2:?}; shift ;;
        --bases) bases=${2:?}; shift ;;
        12 | 12-security | 13 | container) suites="$suites $1" ;;
        *) usage ;;
    esac
    shift
done
[ -n "$suites" ] || usage
[ "$(id -u)" = 0 ] || stop "tests/fresh.sh makes systems of its own, which needs root."
for command in debootstrap unshare git Xvfb xdotool; do
    command -v "$command" >/dev/null || stop "tests/fresh.sh needs $command: sh install.sh full installs it."
done

root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d "$in/dyno-fresh-XXXXXX")
chmod 755 "$folder"
logs=${logs:-$folder}
mkdir -p "$logs" ${bases:+"$bases"}
job='' screen='' failed=0

tidy_up() {
    trap '' INT TERM HUP
    for pid in $job $screen; do
        kill -KILL "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    rm -rf --one-file-system "$folder"
}
trap tidy_up EXIT
trap 'exit 130' INT TERM HUP

make_system() {  # SUITE WHO INTO: a copy with the clone in it
    cp -a --reflink=auto "$folder/$1" "$3"
    mkdir -p "$3.over/upper" "$3.over/work"
    user=root home=/root
    [ "$2" = root ] || user=ann home=/home/ann
    (umask 077 && git clone -q --no-hardlinks "$root" "$3$home/Mein Prüfstand/dyno")
    chroot "$3" chown -R "$user:" "$home"
    [ ! -d "$root/dist" ] || cp -R "$root/dist" "$3/srv/dist"
}

open_screen() {  # sets display
    rm -f "$folder/display"  # of the one before
    # its socket is for all users
    (umask 000 && exec Xvfb -displayfd 3 -screen 0 1280x800x24 -ac -nolisten tcp) 3>"$folder/display" >/dev/null 2>&1 &
    screen=$!
    until [ -s "$folder/display" ]; do sleep 0.1; done
    display=:$(cat "$folder/display")
}

close_window() {  # waits for it while the command runs
    while kill -0 "$job" 2>/dev/null; do
        sleep 1
        window=$(DISPLAY=$display xdotool search --onlyvisible --name 'Dyno$' 2>/dev/null | head -n 1)
        [ -z "$window" ] || break
    done
    [ -n "${window:-}" ] || return 0
    sleep 3
    DISPLAY=$display xdotool windowfocus --sync "$window" key ctrl+q
}

carry_out() {  # SYSTEM SUITE WHO WHAT: prints its line of the table
    log=$logs/$2-$3-$4.log began=$(date +%s) display='' result=passed window=''
    has_window=''
    case $4 in window | deb | file) has_window=yes ;; esac
    [ -z "$has_window" ] || open_screen
    begin sh "$0" attempt "$1" "$2" "$3" "$4" "$display" >"$log" 2>&1
    [ -z "$has_window" ] || close_window
    finish || result=failed
    [ -z "$has_window" ] || [ -n "$window" ] || result=failed
    if [ -n "$screen" ]; then
        kill "$screen"
        wait "$screen" || true
        screen=''
    fi
    seconds=$(($(date +%s) - began))
    printf '| %-11s | %-4s | %-6s | %7s | %-6s |\n' "$2" "$3" "$4" \
        "$((seconds / 60)):$(printf %02d $((seconds % 60)))" "$result"
    if [ "$result" = failed ]; then
        failed=1
        tail -n 60 "$log" >&2
    fi
}

printf '| %-11s | %-4s | %-6s | %7s | %-6s |\n' suite who what minutes result
echo '| ----------- | ---- | ------ | ------: | ------ |'
for suite in $suites; do
    make_base "$suite" "$folder/$suite"
    for each in $(echo "$who" | tr , ' '); do
        system=$folder/$suite-$each
        make_system "$suite" "$each" "$system"
        for word in $(echo "$what" | tr , ' '); do
            carry_out "$system" "$suite" "$each" "$word"
        done
        rm -rf --one-file-system "$system" "$system.over"
    done
    rm -rf --one-file-system "${folder:?}/$suite"
done
exit "$failed"
}
