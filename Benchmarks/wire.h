// The few messages of Sources/PopupProtocol/Schema/popup_broker.proto that the load needs, in protobuf's wire format.
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ID_DIGITS = 9, GROUP_DIGITS = 7, CONTENT_BYTES = 200 };

// --- Writing ---------------------------------------------------------------------------------------------------------

static size_t put_varint(uint8_t *at, uint64_t value) {
    size_t count = 0;
    for (; value >= 0x80; value >>= 7) at[count++] = (uint8_t)value | 0x80;
    at[count++] = (uint8_t)value;
    return count;
}

static size_t put_number(uint8_t *at, unsigned field, uint64_t value) {
    size_t count = put_varint(at, field << 3);
    return count + put_varint(at + count, value);
}

static size_t put_bytes(uint8_t *at, unsigned field, const void *bytes, size_t size) {
    size_t count = put_varint(at, field << 3 | 2);
    count += put_varint(at + count, size);
    memcpy(at + count, bytes, size);
    return count + size;
}

// Decimal digits with leading zeros: so ids and groups have a fixed place and size.
static void put_digits(uint8_t *at, int digits, uint32_t value) {
    for (int i = digits - 1; i >= 0; i--, value /= 10) at[i] = '0' + value % 10;
}

// A Command with a `show` of a popup of 200 bytes in some group. Only two runs of digits differ between commands, and
// the sequence, if there is a producer to count them.
typedef struct {
    uint8_t bytes[512];
    size_t size, sequence, id, group;
} show_template;

enum { SEQUENCE_BYTES = 5 };

static show_template make_show(char kind, const char *producer) {
    uint8_t popup[400], content[CONTENT_BYTES];
    memset(content, 'x', sizeof content);
    char id[2 + ID_DIGITS], group[16];
    snprintf(id, sizeof id, "%c%0*d", kind, ID_DIGITS, 0);
    snprintf(group, sizeof group, "%c/%0*d", kind, GROUP_DIGITS, 0);
    size_t size = put_bytes(popup, 1, id, 1 + ID_DIGITS);
    size += put_bytes(popup + size, 2, group, 2 + GROUP_DIGITS);
    size += put_number(popup + size, 3, 5);        // priority
    size += put_number(popup + size, 4, 3600000);  // durationMs
    size += put_bytes(popup + size, 11, content, sizeof content);
    show_template show = {.size = 0};
    if (producer != NULL) {
        show.size = put_bytes(show.bytes, 1, producer, strlen(producer));
        show.size += put_varint(show.bytes + show.size, 2 << 3);
        show.sequence = show.size;
        show.size += SEQUENCE_BYTES;
    }
    show.size += put_bytes(show.bytes + show.size, 3, popup, size);
    show.id = show.size - size + 2 + 1;
    show.group = show.id + ID_DIGITS + 2 + 2;
    return show;
}

static void write_show(const show_template *show, uint8_t *at, uint32_t id, uint32_t group) {
    memcpy(at, show->bytes, show->size);
    put_digits(at + show->id, ID_DIGITS, id);
    put_digits(at + show->group, GROUP_DIGITS, group);
    if (show->sequence == 0) return;
    // Sequences count from 1. A varint may have more bytes than it needs: so it has a fixed place and size.
    uint64_t sequence = (uint64_t)id + 1;
    for (int i = 0; i < SEQUENCE_BYTES; i++, sequence >>= 7)
        at[show->sequence + i] = (sequence & 0x7f) | (i < SEQUENCE_BYTES - 1 ? 0x80 : 0);
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

static bool next_varint(reader *r, uint64_t *value) {
    *value = 0;
    for (int shift = 0; r->at < r->end && shift < 64; shift += 7) {
        uint8_t byte = *r->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return true;
    }
    return false;
}

static bool next_field(reader *r, field *f) {
    uint64_t key;
    if (r->at >= r->end || !next_varint(r, &key)) return false;
    f->field = key >> 3;
    if ((key & 7) == 0) return next_varint(r, &f->number);
    if ((key & 7) != 2 || !next_varint(r, &f->number) || f->number > (uint64_t)(r->end - r->at)) return false;
    f->bytes = (reader){r->at, r->at + f->number};
    r->at += f->number;
    return true;
}

// The number in this popup's id, when it is of this kind; -1 otherwise.
static int64_t number_of(reader popup, char kind) {
    for (field f; next_field(&popup, &f);) {
        if (f.field != 1) continue;
        if (f.bytes.end - f.bytes.at != 1 + ID_DIGITS || *f.bytes.at != kind) return -1;
        int64_t number = 0;
        for (const uint8_t *digit = f.bytes.at + 1; digit < f.bytes.end; digit++) number = number * 10 + *digit - '0';
        return number;
    }
    return -1;
}

// Up to which sequence a Receipt settles everything.
static int64_t settled_sequence(reader receipt) {
    int64_t contiguous = 0;
    for (field f; next_field(&receipt, &f);)
        if (f.field == 2) contiguous = (int64_t)f.number;
    return contiguous;
}

// The number of the popup that a GroupState newly shows; -1 for another kind, and for a state that is only told again
// (to a new subscriber, say): that one has no cause.
static int64_t shown_number(reader state, char kind) {
    int64_t number = -1;
    bool is_change = false;
    for (field f; next_field(&state, &f);) {
        if (f.field == 4) number = number_of(f.bytes, kind);
        if (f.field == 6) is_change = true;
    }
    return is_change ? number : -1;
}
