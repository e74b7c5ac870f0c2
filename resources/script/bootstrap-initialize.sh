(server --initialize-insecure) </dev/null >"$WORK/bootstrap.log" 2>&1 || die "that failed: see $WORK/error.log"
