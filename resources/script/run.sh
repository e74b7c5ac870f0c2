#!/bin/sh
# {{ title|line }}
#
# What Dyno did in session {{ recipe.turn.session|line }}, with a server, its client and sysbench alone.
# README.txt says what ran where.
{% if takes_turns %}
# The session alternated with others within its steps; here each step runs without a break.
{% endif %}
#
#     sh run.sh
#     BASE=/opt/mysql WORK=/disk/again sh run.sh
#
# It deletes only the directory of the socket, which it creates itself: data and results stay in $WORK.

# shellcheck disable=SC2119,SC2120,SC3045 # start has options after a restart alone; every shell has ulimit -n
set -eu
umask 077
export PATH="${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}"

HERE=$(cd "$(dirname "$0")" && pwd)
BASE=${BASE:-{{ contender.base|quote }}} # the build
SERVER=${SERVER:-{{ server }}}
CLIENT=${CLIENT:-} # mariadb or mysql; that of the build, else any
WORK=${WORK:-"$HERE/work"} # made here, on the disk that is to be measured: data, logs, results
{% if allocator %}
ALLOCATOR=${ALLOCATOR:-{{ allocator|quote }}} # its library
{% endif %}
{% if port %}PORT=${PORT:-{{ port }}} # of 127.0.0.1
{% endif %}

say() { echo "$(date +%H:%M:%S) $*"; }

die() {
    echo "run.sh: $*" >&2
    exit 1
}

absolute() { case $1 in /*) echo "$1" ;; *) echo "$PWD/$1" ;; esac; }

need() { command -v "$1" >/dev/null || die "$1 is not installed"; }

# The server -------------------------------------------------------------------------------------------

sql() { # clients of MariaDB 11 demand TLS of a server that has none
    "$CLIENT" --no-defaults --loose-skip-ssl --socket="$SOCKET" --user=root --batch --skip-column-names --execute="$1"
}

try() { sql "$1" 2>/dev/null || true; } # what not every server can

value() { sql "SHOW GLOBAL STATUS LIKE '$1'" | cut -f 2; } # of a counter

server() { # it takes the place of this shell
    cd /
    [ -z "$LIBRARIES" ] || export LD_LIBRARY_PATH="$LIBRARIES"
    exec {{ around }}"$SERVER" --defaults-file="$WORK/my.cnf" "$@"
}

start() { # with options beside its my.cnf
    server "$@" </dev/null >/dev/null 2>&1 &
    CHILD=$!
    until answer=$(sql "SELECT 1" 2>&1); do
        kill -0 "$CHILD" 2>/dev/null || die "the server did not start: see $WORK/error.log"
        case $answer in
            *"ERROR 2002"* | *"ERROR 2013"*) sleep 0.2 ;; # no socket yet
            *) die "$CLIENT cannot log in: $answer" ;;
        esac
    done
}

stop() {
    kill "$(cat "$SOCKET.pid" 2>/dev/null)" 2>/dev/null || kill "$CHILD" 2>/dev/null || true
    wait "$CHILD" || say "the server did not shut down cleanly: see $WORK/error.log"
    CHILD=
}

finish_off() { # whatever has happened
    [ -z "$CHILD" ] || stop
    rm -f "$SOCKET" "$SOCKET.lock" "$SOCKET.pid"{% if port %} "$PRIVATE/login"{% endif %}

    rmdir "$PRIVATE"
}
{% if restarts %}

restart() {
    stop
{% if snapshot %}    if [ "$DROP_CACHED" = yes ]; then # no page of its files stays in memory
        sync -f "$WORK/data"
        find "$WORK/data" -type f -exec dd if={} iflag=nocache count=0 status=none ';'
        DROP_CACHED=no
    fi
{% endif %}    start "$@"
}
{% endif %}{% if moves %}

move_server() { taskset -a -p -c "$1" "$(cat "$SOCKET.pid")" >/dev/null; } # to these CPUs, every thread of it
{% endif %}

# Steps ------------------------------------------------------------------------------------------------

begin() {
    say "$1"
{% if reset %}    try {{ reset|quote }} # binary logs do not pile up
{% endif %}    sql "SHOW GLOBAL STATUS" >"$WORK/results/$1.before"
}

finish() {
    sql "SHOW GLOBAL STATUS" >"$WORK/results/$1.after"
    du -sk "$WORK/data" >"$WORK/results/$1.size"
}

# drive NAME CPUS LUA OPTION...: a step by sysbench
drive() {
    begin "$1"
    generate "$@" || failed "$1"
    finish "$1"
    figure "$1"
}

# the same without what is before and after it; what its Lua writes, a line a second, goes to NAME.jsonl
generate() {
    name=$1 cpus=$2
    shift 2
    set -- sysbench {{ shared|join(" ") }} \
        {{ driver|join(" ") }} "$@" --report-fd=3 run
    [ "$cpus" = all ] || set -- taskset -c "$cpus" "$@"
    (cd "$HERE/lua" && LC_ALL=C LUA_PATH="$HERE/lua/?.lua;;" "$@" 3>"$WORK/results/$name.jsonl") \
        >"$WORK/results/$name.log" 2>&1 </dev/null
}
{% if roles_bytes %}

share() { # NAME: the memory that the roles of a step share; its first word says that the step is over
    MEMORY="$WORK/results/$1.memory" ROLES=
    head -c {{ roles_bytes }} /dev/zero >"$MEMORY"
    exec 8<>"$MEMORY"
}

end_roles() { printf '\001' | dd of="$MEMORY" conv=notrunc status=none; }

role() { # like drive, in the background; if it fails, the step is over
    ROLES="$ROLES $1"
    {
        generate "$@" || {
            : >"$WORK/results/$1.failed"
            end_roles
        }
        : >"$WORK/results/$1.ended"
    } &
}

together() { # NAME SECONDS ROLE...: wait for these roles, for so long at the most (-1: for ever), and end all
    name=$1 tenths=$(($2 * 10))
    shift 2
    for each in "$@"; do
        until [ -e "$WORK/results/$each.ended" ] || [ "$tenths" -eq 0 ]; do
            sleep 0.1
            tenths=$((tenths - 1))
        done
    done
    end_roles
    for each in $ROLES; do
        until [ -e "$WORK/results/$each.ended" ]; do sleep 0.1; done
    done
    exec 8>&-
    finish "$name"
    for each in $ROLES; do
        [ ! -e "$WORK/results/$each.failed" ] || failed "$each"
        say "$each"
        figure "$each"
    done
}
{% endif %}

failed() {
    FAILED=$((FAILED + 1))
    say "$1 failed: see $WORK/results/$1.log"
}

need_tables() { [ "$FAILED" -eq 0 ] || die "without tables there is nothing to measure"; }

figure() { # what a step came to, from the last line of its Lua
    { grep '"type":"total"' "$WORK/results/$1.jsonl" || true; } | tr ',{}' '[\n*]' | LC_ALL=C awk -F : '
        $1 == "\"time_s\"" { seconds = $2 }
        $1 == "\"events\"" { events = $2 }
        $1 ~ /^"(reads|writes|other)"$/ { queries += $2 }
        END { if (seconds > 0 && events > 0)
                  printf "         %d events of %.4g queries in %.1f s: %.1f queries/s\n",
                      events, queries / events, seconds, queries / seconds }'
}
{% if conditions %}

holds() { # NAME TITLE STATEMENT: a condition of the tables; a row violates it
    rows=$(sql "USE dyno; $3") || die "condition $1 ($2) cannot be asked"
    [ -z "$rows" ] || die "condition $1 ($2) is violated: $(echo "$rows" | head -n 1)"
}
{% endif %}{% if analyses %}

analyse() { # the server counts the rows of its tables; its answers go to NAME.analysed
    for table in $(sql "SHOW TABLES FROM dyno"); do
        sql "{{ analyse }}" >>"$WORK/results/$1.analysed"
    done
}
{% endif %}{% if settles %}

{{ is_written }}
settle() { # SECONDS: until nothing is left to be written, for so long at the most
    second=0
    while [ "$second" -lt "$1" ]; do
        sleep 1
        second=$((second + 1))
        if is_written; then
            sync -f "$WORK/data"
            return
        fi
    done
    say "settling did not finish within $1 s"
}
{% endif %}

# What is needed ---------------------------------------------------------------------------------------

{% for each in tools %}
need {{ each }}
{% endfor %}
for each in "$BASE/bin/mariadb" "$BASE/bin/mysql" mariadb mysql; do
    if [ -z "$CLIENT" ] && "$each" --version >/dev/null 2>&1; then CLIENT=$each; fi
done
[ -n "$CLIENT" ] || die "no client is installed: give the path of mariadb or mysql, CLIENT=... sh run.sh"
BASE=$(absolute "$BASE") SERVER=$(absolute "$SERVER") WORK=$(absolute "$WORK")
[ -x "$SERVER" ] || die "$SERVER is not an executable server: give the directory of its build, BASE=... sh run.sh"
{% if contender.memory_limit %}
MANAGER=--user # of systemd, for the memory limit
[ "$(id -u)" -ne 0 ] || MANAGER=--system
{% endif %}
LIBRARIES=
if ldd "$SERVER" 2>/dev/null | grep -q "not found"; then # they lie with it
    for each in "$(dirname "$SERVER")" "$BASE" "$BASE/lib" "$BASE/lib64" "$BASE/lib/private" "$BASE/lib/mysql"; do
        LIBRARIES=$LIBRARIES${LIBRARIES:+:}$each
    done
fi
[ "$(ulimit -n)" = unlimited ] || [ "$(ulimit -n)" -ge {{ open_files }} ] || ulimit -n {{ open_files }} # for so many clients
mkdir "$WORK" || die "cannot create $WORK: name another directory, WORK=... sh run.sh"
mkdir "$WORK/data" "$WORK/tmp" "$WORK/results"
PRIVATE=$(mktemp -d /tmp/dyno-script-XXXXXX)
SOCKET=$PRIVATE/s
CHILD=
FAILED=0
{% if snapshot %}DROP_CACHED=no
{% endif %}trap finish_off EXIT
trap 'exit 1' HUP INT TERM

# An empty server --------------------------------------------------------------------------------------

{% if plan.pause %}sleep {{ plan.pause }}

{% endif %}cat "$HERE/my.cnf" - >"$WORK/my.cnf" <<END

# what is this machine's
[mysqld]
{% for each in own %}{{ each }}
{% endfor %}END
[ "$(id -u)" -ne 0 ] || echo "user=root" >>"$WORK/my.cnf"
{% if port %}cat >"$WORK/closing.sql" <<'END' # before the port accepts a client, the server leaves no account for it
{% for each in closing %}{{ each }};
{% endfor %}END
{% endif %}
say "creating the system tables"
{% include "bootstrap-" + bootstrap + ".sh" %}

start
try "SET GLOBAL max_prepared_stmt_count=1048576"
sql "CREATE DATABASE dyno DEFAULT CHARACTER SET latin1"
{% if port %}PASSWORD=$(od -A n -N 16 -t x1 /dev/urandom | tr -d ' \n')
sql "CREATE USER dyno@'%' IDENTIFIED BY '$PASSWORD'"
sql "GRANT ALL ON dyno.* TO dyno@'%'"
! "$CLIENT" --no-defaults --loose-skip-ssl --protocol=tcp --host=127.0.0.1 --port="$PORT" --user=root \
    --execute="SELECT 1" >/dev/null 2>&1 || die "root can log in at port $PORT without a password"
printf 'mysql-user=dyno\nmysql-password=%s\n' "$PASSWORD" >"$PRIVATE/login"
{% endif %}{% if moves_back %}USUAL_CPUS=$(taskset -p -c "$(cat "$SOCKET.pid")" | sed 's/.*: //')
{% endif %}

# The sequence {{ plan.sequence|line }} {{ "-" * ([88 - plan.sequence|length, 3]|max) }}
{% for act in acts %}

# {{ act.title|line }}
{% for each in act.lines %}{{ each }}
{% endfor %}{% endfor %}

say "done: results are in $WORK/results"
[ "$FAILED" -eq 0 ]
