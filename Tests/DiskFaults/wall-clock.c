// A wall clock that is set while a process runs that was started with it (LD_PRELOAD): CLOCK_REALTIME shows so many seconds more as
// the file WALL_CLOCK_LEAD says, which is read again at each call; no file: none. All other clocks go on.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time) {
    long result = syscall(SYS_clock_gettime, clock, time);
    const char *path = getenv("WALL_CLOCK_LEAD");
    if (result != 0 || clock != CLOCK_REALTIME || !path) return (int)result;
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return 0;
    char text[32];
    ssize_t count = syscall(SYS_read, descriptor, text, sizeof text - 1);
    syscall(SYS_close, descriptor);
    if (count <= 0) return 0;
    text[count] = 0;
    time->tv_sec += atol(text);
    return 0;
}
