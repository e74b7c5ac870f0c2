/* Preloaded into a server: while the file named by SLOW_FSYNC exists, each sync takes SLOW_FSYNCS real ones of it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static void sync_slowly(int (*sync)(int)) {
    const char *path = getenv("SLOW_FSYNC"), *times = getenv("SLOW_FSYNCS");
    int fd = path ? open(path, O_WRONLY) : -1;
    for (int i = 0; fd >= 0 && times && i < atoi(times); i++) {
        if (pwrite(fd, &i, sizeof i, 0) < 0 || sync(fd)) break;
    }
    if (fd >= 0) close(fd);
}

static int synced(const char *name, int fd) {
    int (*sync)(int) = dlsym(RTLD_NEXT, name);
    sync_slowly(sync);
    return sync(fd);
}

int fsync(int fd) { return synced("fsync", fd); }
int fdatasync(int fd) { return synced("fdatasync", fd); }
