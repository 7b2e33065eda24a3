// A disk that fails, for processes that are started with it (LD_PRELOAD): calls on files below a folder fail, do less than they
// were asked to, take long, or end the process.
//
//   DISK_FAULTS_FOLDER   the folder, without a slash at its end
//   DISK_FAULTS_RULES    a file with a rule a line, read again at each call; none there: nothing fails
//   DISK_FAULTS_SEED     begins the random numbers
//
// A rule: CALLS FAULT PERCENT [FILES], the first that comes true holds.
//
//   CALLS   names joined by commas: open write fsync truncate rename link unlink; or all
//   FAULT   EIO, ENOSPC, EINTR      the call fails so
//           SHORT                   a write writes a part, of one byte at least
//           SLOW:MS                 the call takes so long in addition
//           KILL:N                  the process kills itself before its N-th call of these (PERCENT is not looked at)
//   FILES   a pattern as in fnmatch(3) for the name of the file; none: any
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static atomic_ullong state;
static atomic_long calls;
// The name of the file that the present call is about.
static _Thread_local char name[256];

// SplitMix64.
static unsigned long long draw(void) {
    unsigned long long z = atomic_fetch_add(&state, 0x9E3779B97F4A7C15ull) + 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

__attribute__((constructor)) static void begin(void) {
    const char *seed = getenv("DISK_FAULTS_SEED");
    atomic_store(&state, seed ? strtoull(seed, NULL, 10) : 1);
}

static int isBelow(const char *path) {
    const char *folder = getenv("DISK_FAULTS_FOLDER");
    if (!folder || !path) return 0;
    size_t length = strlen(folder);
    const char *last = strrchr(path, '/');
    snprintf(name, sizeof name, "%s", last ? last + 1 : path);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static int isOfFolder(int descriptor) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t count = readlink(link, path, sizeof path - 1);
    if (count < 0) return 0;
    path[count] = 0;
    return isBelow(path);
}

static int names(const char *calls, const char *call) {
    size_t length = strlen(call);
    for (const char *place = calls; (place = strstr(place, call)); place += length) {
        if ((place == calls || place[-1] == ',') && (place[length] == ',' || place[length] == 0)) return 1;
    }
    return strcmp(calls, "all") == 0;
}

// What becomes of a call: an errno, 0 to let it be, -1 for a short write.
static int fault(const char *call) {
    const char *path = getenv("DISK_FAULTS_RULES");
    if (!path) return 0;
    char text[1024];
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return 0;
    ssize_t count = syscall(SYS_read, descriptor, text, sizeof text - 1);
    syscall(SYS_close, descriptor);
    if (count <= 0) return 0;
    text[count] = 0;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char which[256], what[64], files[256] = "*";
        int percent = 0;
        if (sscanf(line, "%255s %63s %d %255s", which, what, &percent, files) < 3 || !names(which, call)) continue;
        if (fnmatch(files, name, 0) != 0) continue;
        if (strncmp(what, "KILL:", 5) == 0) {
            if (atomic_fetch_add(&calls, 1) + 1 == atol(what + 5)) kill(getpid(), SIGKILL);
            continue;
        }
        if ((int)(draw() % 100) >= percent) continue;
        if (strncmp(what, "SLOW:", 5) == 0) {
            long ms = atol(what + 5);
            struct timespec time = {ms / 1000, ms % 1000 * 1000000};
            nanosleep(&time, NULL);
            continue;
        }
        if (strcmp(what, "EIO") == 0) return EIO;
        if (strcmp(what, "ENOSPC") == 0) return ENOSPC;
        if (strcmp(what, "EINTR") == 0) return EINTR;
        if (strcmp(what, "SHORT") == 0) return -1;
    }
    return 0;
}

static int fails(const char *call) {
    int code = fault(call);
    if (code <= 0) return 0;
    errno = code;
    return 1;
}

static size_t part(size_t count) { return count > 1 ? 1 + draw() % (count - 1) : count; }

#define NEXT(name) \
    static __typeof__(&name) next; \
    if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        NEXT(name); \
        va_list list; \
        va_start(list, flags); \
        mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) ? va_arg(list, mode_t) : 0; \
        va_end(list); \
        if (isBelow(path) && fails("open")) return -1; \
        return next(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

#define WRITE(name, type) \
    ssize_t name(int descriptor, const void *bytes, size_t count, type offset) { \
        NEXT(name); \
        if (isOfFolder(descriptor)) { \
            int code = fault("write"); \
            if (code > 0) { \
                errno = code; \
                return -1; \
            } \
            if (code < 0) count = part(count); \
        } \
        return next(descriptor, bytes, count, offset); \
    }
WRITE(pwrite, off_t)
WRITE(pwrite64, off64_t)

ssize_t write(int descriptor, const void *bytes, size_t count) {
    NEXT(write);
    if (isOfFolder(descriptor)) {
        int code = fault("write");
        if (code > 0) {
            errno = code;
            return -1;
        }
        if (code < 0) count = part(count);
    }
    return next(descriptor, bytes, count);
}

#define OF_DESCRIPTOR(name, call, parameters, ...) \
    int name parameters { \
        NEXT(name); \
        if (isOfFolder(descriptor) && fails(call)) return -1; \
        return next(__VA_ARGS__); \
    }
OF_DESCRIPTOR(fsync, "fsync", (int descriptor), descriptor)
OF_DESCRIPTOR(fdatasync, "fsync", (int descriptor), descriptor)
OF_DESCRIPTOR(ftruncate, "truncate", (int descriptor, off_t length), descriptor, length)
OF_DESCRIPTOR(ftruncate64, "truncate", (int descriptor, off64_t length), descriptor, length)

#define OF_PATH(name, call, parameters, ...) \
    int name parameters { \
        NEXT(name); \
        if (isBelow(path) && fails(call)) return -1; \
        return next(__VA_ARGS__); \
    }
OF_PATH(rename, "rename", (const char *path, const char *other), path, other)
OF_PATH(link, "link", (const char *path, const char *other), path, other)
OF_PATH(unlink, "unlink", (const char *path), path)
