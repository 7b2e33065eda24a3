// A histogram of high dynamic range, as Gil Tene's HdrHistogram counts: between two powers of two there are HALF equal
// steps, so that any value is known to 1 part in HALF, in fixed memory and without a branch on its size.
#pragma once
#include <stdint.h>

enum { HALF_BITS = 10, HALF = 1 << HALF_BITS, HIGHEST_BIT = 40, COUNTERS = (HIGHEST_BIT - HALF_BITS + 2) * HALF };

typedef struct {
    uint64_t total, largest;
    uint32_t counts[COUNTERS];
} histogram;

// Values below 2 * HALF have a counter each; above, the highest bit chooses a row and the next HALF_BITS a place in it.
static inline uint32_t counter_of(uint64_t value) {
    if (value >> HIGHEST_BIT != 0) return COUNTERS - 1;
    uint32_t row = 64 - HALF_BITS - 1 - (uint32_t)__builtin_clzll(value | HALF);
    return row * HALF + (uint32_t)(value >> row);
}

static inline uint64_t highest_value_of(uint32_t counter) {
    if (counter < 2 * HALF) return counter;
    uint32_t row = counter / HALF - 1;
    return ((uint64_t)(counter - row * HALF + 1) << row) - 1;
}

// Negative values count as 0.
static inline void record(histogram *h, int64_t value) {
    uint64_t size = value < 0 ? 0 : (uint64_t)value;
    h->counts[counter_of(size)]++;
    h->total++;
    if (size > h->largest) h->largest = size;
}

static inline void add(histogram *sum, const histogram *h) {
    for (uint32_t i = 0; i < COUNTERS; i++) sum->counts[i] += h->counts[i];
    sum->total += h->total;
    if (h->largest > sum->largest) sum->largest = h->largest;
}

// The value that this share of all are not above.
static inline uint64_t quantile(const histogram *h, double share) {
    uint64_t rank = (uint64_t)(share * (double)h->total + 0.999999), seen = 0;
    if (rank == 0) rank = 1;
    for (uint32_t i = 0; i < COUNTERS; i++) {
        seen += h->counts[i];
        if (seen < rank) continue;
        uint64_t value = highest_value_of(i);
        return value < h->largest ? value : h->largest;
    }
    return h->largest;
}
