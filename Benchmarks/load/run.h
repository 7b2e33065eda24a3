// What is driven through a system, as the arguments say, and what its processes share.
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"

enum {
    WINDOW = 4096,         // messages under way at most: every queue on the way holds more, so that none is dropped
    CREDIT = 256,          // a consumer tells the producer each so many that it took
    QUEUE = 10000,
    PATIENCE_MS = 10000,
    MOST_CONSUMERS = 64,
    ID_DIGITS = 9,
    GROUP_DIGITS = 7,
    TOPIC_BYTES = 16,
    BODY_BYTES = 200,
};

// What one consumer found.
typedef struct {
    _Atomic uint32_t taken;     // each counted once; the producer keeps its window by it
    uint32_t twice;
    int64_t begin, end;
    histogram latency;
} findings;

typedef struct {
    atomic_uint joined;         // consumers that a probe has reached
    _Atomic int64_t start;      // when message 0 was to be sent
    findings of[MOST_CONSUMERS];
} shared_page;

typedef struct {
    const char *workload, *ingress, *egress;
    uint32_t count;             // messages, each with a number of its own
    uint32_t warm_up;           // of them the first ones aren't measured
    uint32_t groups;            // that they are in
    uint32_t consumers;         // each of which gets all of them
    uint32_t subscriptions;     // 0: one of each consumer for everything
    double rate;                // a second; 0: as many as come through
    int credits;                // eventfd: a consumer has taken some
    shared_page *shared;
} run;

// All groups come equally often, in an order that no cache foresees: the factor is prime.
static inline uint32_t group_of(const run *r, uint32_t number) {
    return (uint32_t)(number * UINT64_C(2654435761) % r->groups);
}

// When a message is to be sent. Latency counts from here, whether or not the producer was held up.
static inline int64_t due(const run *r, uint32_t number) {
    return atomic_load_explicit(&r->shared->start, memory_order_relaxed) + (int64_t)(number / r->rate * 1e9);
}

// Ends the process.
static inline void fail(const char *what, const char *why) {
    fprintf(stderr, "load: %s: %s\n", what, why);
    exit(69);
}
