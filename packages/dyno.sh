#!/bin/sh
# Starts Dyno from the libraries next to this file, with a Python of the system that they are for.
here=$(dirname "$(readlink -f "$0")")
for python in "${PYTHON:-python3}" python3 python3.13 python3.12 python3.11; do
    of=$(command -v "$python" >/dev/null && "$python" -I -c 'import sys; print("cp%d%d" % sys.version_info[:2])') || continue
    [ -d "$here/$of" ] || continue
    # shellcheck disable=SC2093
    exec "$python" -s -c 'import sys
sys.path[0:1] = sys.argv[1:3]
sys.argv[1:3] = []
from ui.main import main
sys.exit(main())' "$here/$of" "$here/common" "$@"
done
echo "dyno: Python 3.11, 3.12 or 3.13 is needed, and none was found: sudo apt-get install python3; PYTHON=FILE names one" >&2
exit 1
