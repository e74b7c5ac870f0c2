/* The beginning of the AppImage: unpacks the image behind it once, and starts AppRun there. It needs no FUSE, and what it
 * starts can go on when it has ended: an agent works with the window closed.
 *
 *     dyno-VERSION-x86_64.AppImage [what dyno takes]
 *     dyno-VERSION-x86_64.AppImage --appimage-extract | --appimage-offset | --appimage-help
 *
 * SUM: names the folder that the image is unpacked to.
 */
#define _GNU_SOURCE
#include <squashfuse.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PART (1 << 20)

static char self[PATH_MAX], *unfinished;  /* a folder */

static int forget(const char *path, const struct stat *_s, int _t, struct FTW *_f) {
    (void)_s, (void)_t, (void)_f;
    return remove(path);
}

static void stop(const char *what, const char *path) {
    fprintf(stderr, "%s: %s: %s\n", what, path, errno ? strerror(errno) : "the file is damaged: fetch it again");
    if (unfinished) nftw(unfinished, forget, 16, FTW_DEPTH | FTW_PHYS);
    exit(1);
}

static void check(int is_wrong, const char *what, const char *path) {
    if (is_wrong) stop(what, path);
}

static char *joined(const char *folder, const char *name) {
    char *path;
    check(asprintf(&path, "%s/%s", folder, name) < 0, "no memory", name);
    return path;
}

static size_t own_size(void) {  /* the image begins where the program ends */
    Elf64_Ehdr head = {0};
    int file = open(self, O_RDONLY | O_CLOEXEC);
    check(file < 0 || read(file, &head, sizeof head) != sizeof head, "cannot read", self);
    close(file);
    return head.e_shoff + (size_t)head.e_shentsize * head.e_shnum;
}

/* unpacking */

static void write_file(sqfs *image, sqfs_inode *inode, const char *path) {
    static char part[PART];
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, inode->base.mode & 0777);
    check(file < 0, "cannot write", path);
    for (sqfs_off_t at = 0, size; at < (sqfs_off_t)inode->xtra.reg.file_size; at += size) {
        size = PART;
        errno = 0;
        check(sqfs_read_range(image, inode, at, &size, part) || size <= 0, "cannot read", self);
        check(write(file, part, size) != size, "cannot write", path);
    }
    check(fchmod(file, inode->base.mode & 0777) || close(file), "cannot write", path);
}

static void write_link(sqfs *image, sqfs_inode *inode, const char *path) {
    char to[PATH_MAX];
    size_t size = sizeof to;
    check(sqfs_readlink(image, inode, to, &size), "cannot read", self);
    check(symlink(to, path), "cannot write", path);
}

static void unpack(const char *folder) {
    sqfs image;
    sqfs_traverse tree;
    sqfs_inode inode;
    sqfs_err error;

    errno = 0;
    check(sqfs_open_image(&image, self, own_size()), "cannot read", self);
    check(mkdir(folder, 0755), "cannot write", folder);
    check(sqfs_traverse_open(&tree, &image, sqfs_inode_root(&image)), "cannot read", self);
    while (sqfs_traverse_next(&tree, &error)) {
        if (tree.dir_end) continue;
        errno = 0;
        check(sqfs_inode_get(&image, &inode, sqfs_dentry_inode(&tree.entry)), "cannot read", self);
        char *path = joined(folder, tree.path);
        if (S_ISDIR(inode.base.mode)) check(mkdir(path, 0755), "cannot write", path);
        else if (S_ISLNK(inode.base.mode)) write_link(&image, &inode, path);
        else write_file(&image, &inode, path);
        free(path);
    }
    errno = 0;
    check(error, "cannot read", self);
    sqfs_traverse_close(&tree);
}

static void make_folders(char *path) {  /* this one, and those above it */
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    check(mkdir(path, 0755) && errno != EEXIST, "cannot make", path);
}

static void unpack_once(const char *folder, char *above) {  /* one start at a time; one that broke off left `new` */
    make_folders(above);
    int lock = open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    check(lock < 0 || flock(lock, LOCK_EX), "cannot lock", above);
    if (access(folder, F_OK)) {
        unfinished = joined(above, "new");
        nftw(unfinished, forget, 16, FTW_DEPTH | FTW_PHYS);
        unpack(unfinished);
        check(rename(unfinished, folder), "cannot write", folder);
        unfinished = NULL;
    }
    close(lock);
}

int main(int count, char **words) {
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME"), *word = count > 1 ? words[1] : "";

    check(!realpath("/proc/self/exe", self), "cannot read", "/proc/self/exe");
    if (!strcmp(word, "--appimage-offset")) return printf("%zu\n", own_size()) < 0;
    if (!strcmp(word, "--appimage-extract")) return unpack("squashfs-root"), puts("squashfs-root") < 0;
    if (!strcmp(word, "--appimage-help"))
        return puts("--appimage-extract: unpack to squashfs-root\n--appimage-offset: where the image begins") < 0;
    errno = ENOENT;
    check(!(data && *data) && !(home && *home), "needs HOME or XDG_DATA_HOME", "environment");
    char *above = data && *data ? joined(data, "dyno-appimage") : joined(home, ".local/share/dyno-appimage");
    char *folder = joined(above, SUM), *start = joined(folder, "AppRun");
    if (access(start, X_OK)) unpack_once(folder, above);
    setenv("APPIMAGE", self, 1);
    setenv("APPDIR", folder, 1);
    setenv("ARGV0", words[0], 1);
    execv(start, words);
    stop("cannot start", start);
}
