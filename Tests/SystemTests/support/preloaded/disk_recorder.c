/* Preloaded into the server, it records every call that changes a file of one directory, with its bytes, and every
   write to a socket, all in one order. disk_recording.py reads the record, disk_images.py makes images of a disk from
   it.

   RECORD_DIRECTORY is the directory, and RECORD_FILE gets the record. RECORD_STATE is a file with two numbers (uint64,
   in the order of the machine), which other processes may map: the number of recorded calls, and the number of the call
   after which the process is to be killed, or 0. The process ends between two calls, so the record has all that was
   done, and nothing else. lock.mdb and writer.lock are not recorded: nothing of them must survive. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind {
    STARTED = 1, MADE, WRITTEN, SYNC_BEGUN, SYNC_ENDED, WRITE_SYNCED, RESIZED, RENAMED, LINKED, UNLINKED, SENT
};

/* In front of each record; the names (each with a zero at its end) and the bytes follow. */
struct record {
    uint8_t kind, is_synced;
    uint16_t names;
    uint32_t bytes;
    /* The inode; of SENT the port of the peer. */
    uint64_t file;
    /* The offset of a write; the number of the call that began what ends here; the size after RESIZED. */
    uint64_t number;
};

static volatile uint64_t *state;
/* Synchronous writes that are recorded and perhaps not done yet: the process must not be killed now. */
static int unfinished;
static int output = -1;
static char directory[PATH_MAX];
static size_t directory_length;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void refuse(const char *what, const char *name) {
    fprintf(stderr, "disk_recorder: %s %s: this cannot be recorded\n", what, name);
    abort();
}

__attribute__((constructor)) static void begin(void);

/* Appends a record; with the lock. Returns its number. */
static uint64_t append(enum kind kind, int is_synced, uint64_t file, uint64_t number, const char *names,
                       size_t name_bytes, const struct iovec *parts, int count) {
    size_t bytes = 0;
    struct record head = {.kind = kind, .is_synced = is_synced, .names = name_bytes, .file = file, .number = number};
    for (int index = 0; index < count; index++) bytes += parts[index].iov_len;
    if (bytes > UINT32_MAX) refuse("a write of more than 4 GiB", names ? names : "");
    head.bytes = bytes;
    struct iovec head_parts[2] = {{&head, sizeof head}, {(void *)names, name_bytes}};
    if (syscall(SYS_writev, output, head_parts, name_bytes ? 2 : 1) != (ssize_t)(sizeof head + name_bytes)) abort();
    for (int index = 0; index < count; index++) {
        ssize_t length = parts[index].iov_len;
        if (syscall(SYS_write, output, parts[index].iov_base, length) != length) abort();
    }
    uint64_t recorded = state[0] + 1;
    __atomic_store_n(&state[0], recorded, __ATOMIC_SEQ_CST);
    if (state[1] && recorded >= state[1] && !unfinished) {
        kill(getpid(), SIGKILL);
        for (;;) pause();
    }
    return recorded;
}

static void begin(void) {
    const char *path = getenv("RECORD_DIRECTORY"), *record = getenv("RECORD_FILE"), *counts = getenv("RECORD_STATE");
    if (!path || !record || !counts || strlen(path) >= sizeof directory) abort();
    int file = syscall(SYS_openat, AT_FDCWD, counts, O_RDWR | O_CLOEXEC);
    state = mmap(NULL, 2 * sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    output = syscall(SYS_openat, AT_FDCWD, record, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || state == MAP_FAILED || output < 0) abort();
    syscall(SYS_close, file);
    pthread_mutex_lock(&lock);
    append(STARTED, 0, 0, 0, NULL, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    strcpy(directory, path);
    directory_length = strlen(path);
}

/* The name of a path in the directory; NULL if it is outside, "" if it is the directory itself. */
static const char *inside(const char *path) {
    if (!directory_length || strncmp(path, directory, directory_length) != 0) return NULL;
    const char *rest = path + directory_length;
    if (!*rest) return rest;
    if (*rest != '/' || !strcmp(rest, "/lock.mdb") || !strcmp(rest, "/writer.lock")) return NULL;
    return rest + 1;
}

/* The name of an open file in the directory, as `inside`. */
static const char *name_of(int file, char *buffer) {
    char link[64];
    if (!directory_length) return NULL;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t count = readlink(link, buffer, PATH_MAX - 1);
    if (count <= 0) return NULL;
    buffer[count] = 0;
    const char *end = " (deleted)";
    size_t end_length = strlen(end);
    if ((size_t)count > end_length && !strcmp(buffer + count - end_length, end)) buffer[count - end_length] = 0;
    return inside(buffer);
}

/* The name that a path means, as `inside`. */
static const char *name_at(int folder, const char *path, char *buffer) {
    char parent[PATH_MAX], joined[PATH_MAX];
    if (!directory_length || strlen(path) >= sizeof parent) return NULL;
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
    if (*path == '/' || folder == AT_FDCWD) {
        snprintf(parent, sizeof parent, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    } else {
        int length = slash ? (int)(slash - path) : 0;
        size_t needed = snprintf(parent, sizeof parent, "/proc/self/fd/%d/%.*s", folder, length, path);
        if (needed >= sizeof parent) return NULL;
    }
    if (!realpath(parent, joined) || strlen(joined) + strlen(last) + 2 > PATH_MAX) return NULL;
    snprintf(buffer, PATH_MAX, "%s/%s", joined, last);
    return inside(buffer);
}

static uint64_t inode_of(int file) {
    struct stat status;
    if (fstat(file, &status) != 0) abort();
    return status.st_ino;
}

static uint64_t inode_at(int folder, const char *path) {
    struct stat status;
    if (fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW) != 0) abort();
    return status.st_ino;
}

/* Opening and making files */

static int open_recorded(int folder, const char *path, int flags, mode_t mode) {
    char buffer[PATH_MAX];
    const char *name = flags & (O_CREAT | O_TRUNC) ? name_at(folder, path, buffer) : NULL;
    if (!name) return syscall(SYS_openat, folder, path, flags, mode);
    if ((flags & O_TMPFILE) == O_TMPFILE) refuse("a file without a name", path);
    pthread_mutex_lock(&lock);
    int was_there = syscall(SYS_faccessat, folder, path, F_OK) == 0;
    int file = syscall(SYS_openat, folder, path, flags, mode), error = errno;
    if (file >= 0 && !was_there) append(MADE, 0, inode_of(file), 0, name, strlen(name) + 1, NULL, 0);
    else if (file >= 0 && flags & O_TRUNC) append(RESIZED, 0, inode_of(file), 0, NULL, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = error;
    return file;
}

#define MODE \
    mode_t mode = 0; \
    va_list rest; \
    va_start(rest, flags); \
    if (flags & (O_CREAT | O_TMPFILE)) mode = va_arg(rest, mode_t); \
    va_end(rest)
int open(const char *path, int flags, ...) { MODE; return open_recorded(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE; return open_recorded(AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE; return open_recorded(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE; return open_recorded(folder, path, flags, mode); }
int __open_2(const char *path, int flags) { return open_recorded(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return open_recorded(AT_FDCWD, path, flags, 0); }
int __openat_2(int folder, const char *path, int flags) { return open_recorded(folder, path, flags, 0); }
int __openat64_2(int folder, const char *path, int flags) { return open_recorded(folder, path, flags, 0); }
int creat(const char *path, mode_t mode) { return open_recorded(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return open_recorded(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

/* Writing */

static uint64_t peer_port(int file) {
    union { struct sockaddr any; struct sockaddr_in four; struct sockaddr_in6 six; } peer;
    socklen_t length = sizeof peer;
    if (getpeername(file, &peer.any, &length) != 0) return 0;
    if (peer.any.sa_family == AF_INET) return ntohs(peer.four.sin_port);
    return peer.any.sa_family == AF_INET6 ? ntohs(peer.six.sin6_port) : 0;
}

/* Makes the parts of which `bytes` bytes were written, and returns their number. */
static int cut(struct iovec *cut_parts, const struct iovec *parts, int count, size_t bytes) {
    int index = 0;
    for (; index < count && bytes; index++) {
        cut_parts[index] = parts[index];
        if (cut_parts[index].iov_len > bytes) cut_parts[index].iov_len = bytes;
        bytes -= cut_parts[index].iov_len;
    }
    return index;
}

static ssize_t write_recorded(int file, const struct iovec *parts, int count, off_t offset, int has_offset) {
    char buffer[PATH_MAX];
    struct iovec done[IOV_MAX];
    int is_socket = 0;
    const char *name = NULL;
    if (directory_length && file != output) {
        struct stat status;
        if (fstat(file, &status) == 0) {
            is_socket = S_ISSOCK(status.st_mode) && !has_offset;
            if (S_ISREG(status.st_mode)) name = name_of(file, buffer);
        }
    }
#define WRITE \
    (has_offset ? syscall(SYS_pwritev, file, parts, count, offset, 0) : syscall(SYS_writev, file, parts, count))
    if (!is_socket && !name) return WRITE;
    if (count < 0 || count > IOV_MAX) { errno = EINVAL; return -1; }
    pthread_mutex_lock(&lock);
    ssize_t result;
    int error;
    if (is_socket) {
        result = WRITE, error = errno;
        uint64_t port = result > 0 ? peer_port(file) : 0;
        if (port) append(SENT, 0, port, result, NULL, 0, NULL, 0);
    } else {
        int flags = fcntl(file, F_GETFL);
        if (flags & O_APPEND) offset = lseek(file, 0, SEEK_END);
        else if (!has_offset) offset = lseek(file, 0, SEEK_CUR);
        if (flags & O_DSYNC) {
            /* It may be on the disk at any time of the call, and is there when that has returned. */
            ssize_t all = 0;
            for (int index = 0; index < count; index++) all += parts[index].iov_len;
            unfinished++;
            uint64_t number = append(WRITTEN, 1, inode_of(file), offset, NULL, 0, parts, count);
            pthread_mutex_unlock(&lock);
            result = WRITE, error = errno;
            if (result != all) refuse("a part of a synchronous write to", name);
            pthread_mutex_lock(&lock);
            unfinished--;
            append(WRITE_SYNCED, 0, inode_of(file), number, NULL, 0, NULL, 0);
        } else {
            result = WRITE, error = errno;
            if (result > 0) append(WRITTEN, 0, inode_of(file), offset, NULL, 0, done, cut(done, parts, count, result));
        }
    }
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

#define ONE struct iovec part = {(void *)bytes, count}
ssize_t write(int file, const void *bytes, size_t count) { ONE; return write_recorded(file, &part, 1, 0, 0); }
ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) {
    ONE;
    return write_recorded(file, &part, 1, at, 1);
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at) {
    ONE;
    return write_recorded(file, &part, 1, at, 1);
}
ssize_t writev(int file, const struct iovec *parts, int count) { return write_recorded(file, parts, count, 0, 0); }
ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at) {
    return write_recorded(file, parts, count, at, 1);
}
ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t at) {
    return write_recorded(file, parts, count, at, 1);
}
ssize_t pwritev2(int file, const struct iovec *parts, int count, off_t at, int flags) {
    if (flags) refuse("pwritev2", "with flags");
    return write_recorded(file, parts, count, at, at != -1);
}
ssize_t pwritev64v2(int file, const struct iovec *parts, int count, off64_t at, int flags) {
    return pwritev2(file, parts, count, at, flags);
}
ssize_t send(int file, const void *bytes, size_t count, int flags) {
    if (!directory_length) return syscall(SYS_sendto, file, bytes, count, flags, NULL, 0);
    pthread_mutex_lock(&lock);
    ssize_t result = syscall(SYS_sendto, file, bytes, count, flags, NULL, 0);
    int error = errno;
    uint64_t port = result > 0 ? peer_port(file) : 0;
    if (port) append(SENT, 0, port, result, NULL, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

/* Sizes */

static int resize_recorded(int file, const char *path, off_t size) {
    char buffer[PATH_MAX];
    const char *name = path ? name_at(AT_FDCWD, path, buffer) : name_of(file, buffer);
    pthread_mutex_lock(&lock);
    int result = path ? syscall(SYS_truncate, path, size) : syscall(SYS_ftruncate, file, size), error = errno;
    if (result == 0 && name) {
        uint64_t inode = path ? inode_at(AT_FDCWD, path) : inode_of(file);
        append(RESIZED, 0, inode, size, NULL, 0, NULL, 0);
    }
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

int ftruncate(int file, off_t size) { return resize_recorded(file, NULL, size); }
int ftruncate64(int file, off64_t size) { return resize_recorded(file, NULL, size); }
int truncate(const char *path, off_t size) { return resize_recorded(-1, path, size); }
int truncate64(const char *path, off64_t size) { return resize_recorded(-1, path, size); }

static int allocate_recorded(int file, int mode, off_t offset, off_t count) {
    char buffer[PATH_MAX];
    const char *name = name_of(file, buffer);
    if (name && mode & ~FALLOC_FL_KEEP_SIZE) refuse("fallocate of", name);
    pthread_mutex_lock(&lock);
    struct stat before;
    int result = fstat(file, &before) ? -1 : syscall(SYS_fallocate, file, mode, offset, count), error = errno;
    if (result == 0 && name && !mode && offset + count > before.st_size)
        append(RESIZED, 0, before.st_ino, offset + count, NULL, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

int fallocate(int file, int mode, off_t offset, off_t count) { return allocate_recorded(file, mode, offset, count); }
int fallocate64(int file, int mode, off64_t offset, off64_t count) {
    return allocate_recorded(file, mode, offset, count);
}
int posix_fallocate(int file, off_t offset, off_t count) {
    return allocate_recorded(file, 0, offset, count) ? errno : 0;
}
int posix_fallocate64(int file, off64_t offset, off64_t count) {
    return allocate_recorded(file, 0, offset, count) ? errno : 0;
}

/* Syncs. sync_file_range promises nothing about a disk's cache and the file's size, so it counts as nothing. */

static int sync_recorded(int file, int call) {
    char buffer[PATH_MAX];
    if (!name_of(file, buffer)) return syscall(call, file);
    pthread_mutex_lock(&lock);
    uint64_t number = append(SYNC_BEGUN, 0, inode_of(file), 0, NULL, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    int result = syscall(call, file), error = errno;
    pthread_mutex_lock(&lock);
    if (result == 0) append(SYNC_ENDED, 0, inode_of(file), number, NULL, 0, NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

int fsync(int file) { return sync_recorded(file, SYS_fsync); }
int fdatasync(int file) { return sync_recorded(file, SYS_fdatasync); }

/* A write through a map would not be seen. */
static void *map_recorded(void *place, size_t count, int protection, int flags, int file, off_t offset) {
    char buffer[PATH_MAX];
    int is_written = protection & PROT_WRITE && flags & MAP_SHARED;
    if (file >= 0 && is_written && name_of(file, buffer)) refuse("a writable map of", buffer);
    return (void *)syscall(SYS_mmap, place, count, protection, flags, file, offset);
}

void *mmap(void *place, size_t count, int protection, int flags, int file, off_t offset) {
    return map_recorded(place, count, protection, flags, file, offset);
}
void *mmap64(void *place, size_t count, int protection, int flags, int file, off64_t offset) {
    return map_recorded(place, count, protection, flags, file, offset);
}

/* Names */

static int rename_recorded(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    char from_buffer[PATH_MAX], to_buffer[PATH_MAX], names[2 * PATH_MAX];
    const char *old = name_at(from_folder, from, from_buffer), *new = name_at(to_folder, to, to_buffer);
    if (old && flags) refuse("renameat2 of", old);
    if (!old != !new) refuse("a rename into or out of the directory:", from);
    pthread_mutex_lock(&lock);
    int result = syscall(SYS_renameat2, from_folder, from, to_folder, to, flags), error = errno;
    if (result == 0 && old) {
        size_t bytes = strlen(old) + 1;
        memcpy(names, old, bytes);
        strcpy(names + bytes, new);
        append(RENAMED, 0, inode_at(to_folder, to), 0, names, bytes + strlen(new) + 1, NULL, 0);
    }
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

int rename(const char *from, const char *to) { return rename_recorded(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    return rename_recorded(from_folder, from, to_folder, to, 0);
}
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    return rename_recorded(from_folder, from, to_folder, to, flags);
}

static int link_recorded(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    char buffer[PATH_MAX];
    const char *name = name_at(to_folder, to, buffer);
    pthread_mutex_lock(&lock);
    int result = syscall(SYS_linkat, from_folder, from, to_folder, to, flags), error = errno;
    if (result == 0 && name) append(LINKED, 0, inode_at(to_folder, to), 0, name, strlen(name) + 1, NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

int link(const char *from, const char *to) { return link_recorded(AT_FDCWD, from, AT_FDCWD, to, 0); }
int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    return link_recorded(from_folder, from, to_folder, to, flags);
}

static int unlink_recorded(int folder, const char *path, int flags) {
    char buffer[PATH_MAX];
    const char *name = name_at(folder, path, buffer);
    pthread_mutex_lock(&lock);
    int result = syscall(SYS_unlinkat, folder, path, flags), error = errno;
    if (result == 0 && name) append(UNLINKED, 0, 0, 0, name, strlen(name) + 1, NULL, 0);
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

int unlink(const char *path) { return unlink_recorded(AT_FDCWD, path, 0); }
int unlinkat(int folder, const char *path, int flags) { return unlink_recorded(folder, path, flags); }
