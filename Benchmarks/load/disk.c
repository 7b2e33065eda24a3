// The disk's own time for what a commit waits for: appends of a page to a file, each followed by fdatasync(2).
//
//     load-disk DIRECTORY [seconds=5] [bytes=4096]
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "histogram.h"

static void fail(const char *what) {
    fprintf(stderr, "load-disk: %s: %s\n", what, strerror(errno));
    exit(1);
}

int main(int count, char **arguments) {
    if (count < 2) {
        fprintf(stderr, "usage: load-disk DIRECTORY [seconds=5] [bytes=4096]\n");
        return 2;
    }
    long seconds = 5, bytes = 4096;
    for (int i = 2; i < count; i++) {
        sscanf(arguments[i], "seconds=%ld", &seconds);
        sscanf(arguments[i], "bytes=%ld", &bytes);
    }
    char path[4096];
    if (mkdir(arguments[1], 0700) != 0 && errno != EEXIST) fail(arguments[1]);
    snprintf(path, sizeof path, "%s/appended", arguments[1]);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    char *page = calloc(1, (size_t)bytes);
    if (file < 0 || page == NULL) fail(path);

    static histogram times;
    int64_t begin = now(), end = begin + seconds * 1000000000L, last = begin;
    while (last < end) {
        if (write(file, page, (size_t)bytes) != bytes) fail("write");
        if (fdatasync(file) != 0) fail("fdatasync");
        int64_t done = now();
        record(&times, (done - last) / 1000);
        last = done;
    }
    unlink(path);
    printf("rate=%.0f p50=%llu p99=%llu p999=%llu max=%llu\n", (double)times.total / ((double)(last - begin) / 1e9),
           (unsigned long long)quantile(&times, 0.5), (unsigned long long)quantile(&times, 0.99),
           (unsigned long long)quantile(&times, 0.999), (unsigned long long)times.largest);
    return 0;
}
