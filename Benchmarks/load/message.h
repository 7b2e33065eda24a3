// What a message of the relay and the peers carries: a mark, its number, and what fills it up to its size.
#pragma once
#include <stdint.h>
#include <string.h>

#include "run.h"

typedef enum { PROBE = 'p', BULK = 'b', LINE = 'l' } mark;

// Decimal digits with leading zeros: so numbers and groups have a fixed place and size.
static inline void put_digits(void *at, int digits, uint32_t value) {
    for (int i = digits - 1; i >= 0; i--, value /= 10) ((uint8_t *)at)[i] = '0' + value % 10;
}

static inline int64_t digits(const uint8_t *at) {
    int64_t number = 0;
    for (int i = 0; i < ID_DIGITS; i++) number = number * 10 + at[i] - '0';
    return number;
}

static inline void write_body(void *body, mark m, uint32_t number) {
    memset(body, m, 1);
    put_digits((uint8_t *)body + 1, ID_DIGITS, number);
}

// The number in a body; -1 for a probe's.
static inline int64_t number_in(const void *body, size_t size) {
    const uint8_t *bytes = body;
    return size > ID_DIGITS && bytes[0] == BULK ? digits(bytes + 1) : -1;
}
