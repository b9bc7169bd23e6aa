/* Preloaded into the server, it records the calls that change data.mdb and data.wal, and all other files whose names
   begin with "data". DISK_LOG names the file that gets a line for each call ("fdatasync data.wal"). It also lets one of
   the calls fail: DISK_FAULT names a file with a call, a file name and an errno ("fdatasync data.mdb 5"), which is
   removed when the call has failed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int is_of_interest(const char *name) {
    return !strncmp(name, "data", 4);
}

/* Records a call; returns -1 with errno if it is to fail. */
static int record_call(const char *what, const char *name) {
    const char *log = getenv("DISK_LOG"), *fault = getenv("DISK_FAULT");
    if (!log || !is_of_interest(name)) return 0;
    char line[NAME_MAX + 64], wanted[NAME_MAX + 64] = {0};
    int length = snprintf(line, sizeof line, "%s %s\n", what, name), number = 0, file;
    file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0) {
        if (syscall(SYS_write, file, line, length) < 0) abort();
        syscall(SYS_close, file);
    }
    file = fault ? syscall(SYS_openat, AT_FDCWD, fault, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return 0;
    ssize_t count = syscall(SYS_read, file, wanted, sizeof wanted - 1);
    syscall(SYS_close, file);
    line[length - 1] = ' ';
    if (count < length || strncmp(wanted, line, length) != 0) return 0;
    number = atoi(wanted + length);
    syscall(SYS_unlinkat, AT_FDCWD, fault, 0);
    errno = number;
    return -1;
}

static int record_file_call(const char *what, int file) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t count = readlink(link, path, sizeof path - 1);
    if (count < 0) return 0;
    path[count] = 0;
    return record_call(what, last_part(path));
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    return record_file_call("write", file) ? -1 : REAL(pwrite)(file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    return record_file_call("write", file) ? -1 : REAL(pwrite64)(file, bytes, count, offset);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    return record_file_call("write", file) ? -1 : REAL(writev)(file, parts, count);
}

int fsync(int file) { return record_file_call("fsync", file) ? -1 : REAL(fsync)(file); }

int fdatasync(int file) { return record_file_call("fdatasync", file) ? -1 : REAL(fdatasync)(file); }

int rename(const char *from, const char *to) {
    return record_call("rename", last_part(to)) ? -1 : REAL(rename)(from, to);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    return record_call("rename", last_part(to)) ? -1 : REAL(renameat)(from_folder, from, to_folder, to);
}
