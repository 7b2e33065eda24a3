// One clock for all processes of a machine, in ns.
#pragma once
#include <errno.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <time.h>

static inline int64_t clock_ns(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static inline int64_t now(void) {
    return clock_ns(CLOCK_MONOTONIC);
}

static inline void sleep_until(int64_t when) {
    struct timespec time = {when / 1000000000, when % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {}
}

// The system may end a sleep 50 µs late to save wake-ups; who sends on time must not have that.
static inline void sleep_exactly(void) {
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}
