/* Preloaded into a server: while the file named by SLOW_FSYNC exists, each sync takes SLOW_FSYNCS more real ones
   of it, and then sleeps SLOW_FSYNC_MS. While the file named by LOST_FSYNC exists, a sync does nothing. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static int number(const char *name) { return getenv(name) ? atoi(getenv(name)) : 0; }

static void sync_slowly(int (*sync)(int)) {
    const char *path = getenv("SLOW_FSYNC");
    int fd = path ? open(path, O_WRONLY) : -1;
    if (fd < 0) return;
    for (int i = 0; i < number("SLOW_FSYNCS"); i++) {
        if (pwrite(fd, &i, sizeof i, 0) < 0 || sync(fd)) break;
    }
    close(fd);
    usleep(1000 * number("SLOW_FSYNC_MS"));
}

static int is_lost(void) {
    const char *path = getenv("LOST_FSYNC");
    return path && access(path, F_OK) == 0;
}

static int synced(const char *name, int fd) {
    if (is_lost()) return 0;
    int (*sync)(int) = dlsym(RTLD_NEXT, name);
    sync_slowly(sync);
    return sync(fd);
}

int fsync(int fd) { return synced("fsync", fd); }
int fdatasync(int fd) { return synced("fdatasync", fd); }
