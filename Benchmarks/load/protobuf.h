// Protocol Buffers' wire format, as far as the load needs it.
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// --- Writing ---------------------------------------------------------------------------------------------------------

static inline size_t put_varint(uint8_t *at, uint64_t value) {
    size_t count = 0;
    for (; value >= 0x80; value >>= 7) at[count++] = (uint8_t)value | 0x80;
    at[count++] = (uint8_t)value;
    return count;
}

// A varint may have more bytes than it needs: with five, any number of 32 bits has a fixed place and size.
enum { WIDE_BYTES = 5 };

static inline void put_wide(uint8_t *at, uint64_t value) {
    for (int i = 0; i < WIDE_BYTES; i++, value >>= 7) at[i] = (value & 0x7f) | (i < WIDE_BYTES - 1 ? 0x80 : 0);
}

static inline size_t put_number(uint8_t *at, unsigned field, uint64_t value) {
    size_t count = put_varint(at, field << 3);
    return count + put_varint(at + count, value);
}

static inline size_t put_bytes(uint8_t *at, unsigned field, const void *bytes, size_t size) {
    size_t count = put_varint(at, field << 3 | 2);
    count += put_varint(at + count, size);
    memcpy(at + count, bytes, size);
    return count + size;
}

// --- Reading ---------------------------------------------------------------------------------------------------------

typedef struct {
    const uint8_t *at, *end;
} reader;

typedef struct {
    unsigned field;
    uint64_t number;
    reader bytes;
} field;

static inline bool next_varint(reader *r, uint64_t *value) {
    *value = 0;
    for (int shift = 0; r->at < r->end && shift < 64; shift += 7) {
        uint8_t byte = *r->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return true;
    }
    return false;
}

static inline bool next_field(reader *r, field *f) {
    uint64_t key;
    if (r->at >= r->end || !next_varint(r, &key)) return false;
    *f = (field){.field = (unsigned)(key >> 3)};
    if ((key & 7) == 0) return next_varint(r, &f->number);
    if ((key & 7) != 2 || !next_varint(r, &f->number) || f->number > (uint64_t)(r->end - r->at)) return false;
    f->bytes = (reader){r->at, r->at + f->number};
    r->at += f->number;
    return true;
}
