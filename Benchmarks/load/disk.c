// The least that a log on this disk can do: messages come at a rate; all that have come are appended to a file by one
// write(2), and are safe when fdatasync(2) returns. Prints how long they took from when each was due, in µs. A stall of
// the disk counts for each message that waits for it, as it does for a broker's.
//
//     load-disk DIRECTORY [rate=10000] [seconds=5] [bytes=256]
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
        fprintf(stderr, "usage: load-disk DIRECTORY [rate=10000] [seconds=5] [bytes=256]\n");
        return 2;
    }
    long rate = 10000, seconds = 5, bytes = 256;
    for (int i = 2; i < count; i++) {
        sscanf(arguments[i], "rate=%ld", &rate);
        sscanf(arguments[i], "seconds=%ld", &seconds);
        sscanf(arguments[i], "bytes=%ld", &bytes);
    }
    char path[4096];
    if (mkdir(arguments[1], 0700) != 0 && errno != EEXIST) fail(arguments[1]);
    snprintf(path, sizeof path, "%s/appended", arguments[1]);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0) fail(path);
    // Messages that wait for a stall of a few seconds fit.
    long most = 4 * rate + 1;
    char *messages = calloc((size_t)most, (size_t)bytes);
    if (messages == NULL) fail("memory");
    memset(messages, 'x', (size_t)(most * bytes));

    static histogram times;
    sleep_exactly();
    long total = rate * seconds, done = 0, syncs = 0;
    int64_t begin = now(), last = begin;
    while (done < total) {
        sleep_until(begin + done * 1000000000L / rate);
        long due = (now() - begin) * rate / 1000000000L + 1;
        if (due > total) due = total;
        long waiting = due - done < most ? due - done : most;
        if (write(file, messages, (size_t)(waiting * bytes)) != waiting * bytes) fail("write");
        if (fdatasync(file) != 0) fail("fdatasync");
        last = now();
        // The first tenth is a warm-up, as with the other rows.
        for (long i = done; i < done + waiting; i++) {
            if (i >= total / 10) record(&times, (last - begin - i * 1000000000L / rate) / 1000);
        }
        done += waiting;
        syncs++;
    }
    unlink(path);
    printf("rate=%.0f p50=%llu p99=%llu p999=%llu max=%llu syncs=%ld\n", (double)total / ((double)(last - begin) / 1e9),
           (unsigned long long)quantile(&times, 0.5), (unsigned long long)quantile(&times, 0.99),
           (unsigned long long)quantile(&times, 0.999), (unsigned long long)times.largest, syncs);
    return 0;
}
