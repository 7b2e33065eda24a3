// The commands that the load sends to a broker (Sources/PopupProtocol/Schema/popup_broker.proto): made once, with places in
// which only digits differ from command to command.
#pragma once
#include <stdio.h>

#include "message.h"
#include "protobuf.h"

static const char PRODUCER[] = "62656e63680000000000000000000001";

enum { HOUR_MS = 3600000 };

// A `show` of a popup of 200 bytes. Places are 0 where the template has none.
typedef struct {
    uint8_t bytes[512];
    size_t size, sequence, id, group, priority, duration;
} show_template;

// Popups and groups of probes are apart from the others by the mark that their names begin with.
static inline show_template make_show(mark m, bool is_counted) {
    uint8_t popup[400], content[BODY_BYTES];
    memset(content, 'x', sizeof content);
    char id[2 + ID_DIGITS], group[3 + GROUP_DIGITS];
    snprintf(id, sizeof id, "%c%0*d", m, ID_DIGITS, 0);
    snprintf(group, sizeof group, "%c/%0*d", m, GROUP_DIGITS, 0);
    size_t size = put_bytes(popup, 1, id, 1 + ID_DIGITS);
    size += put_bytes(popup + size, 2, group, 2 + GROUP_DIGITS);
    size += put_number(popup + size, 3, 5);
    size_t priority = size - 1;
    size += put_varint(popup + size, 4 << 3);
    size_t duration = size;
    put_wide(popup + size, HOUR_MS);
    size += WIDE_BYTES;
    size += put_bytes(popup + size, 11, content, sizeof content);

    show_template show = {.size = 0};
    if (is_counted) {
        show.size = put_bytes(show.bytes, 1, PRODUCER, strlen(PRODUCER));
        show.size += put_varint(show.bytes + show.size, 2 << 3);
        show.sequence = show.size;
        show.size += WIDE_BYTES;
    }
    show.size += put_bytes(show.bytes + show.size, 3, popup, size);
    size_t begin = show.size - size;
    show.id = begin + 2 + 1;
    show.group = show.id + ID_DIGITS + 2 + 2;
    show.priority = begin + priority;
    show.duration = begin + duration;
    return show;
}

static inline show_template make_json_show(mark m) {
    char content[BODY_BYTES + 1] = {0};
    memset(content, 'x', BODY_BYTES);
    show_template show = {.size = 0};
    show.size = (size_t)snprintf(
        (char *)show.bytes, sizeof show.bytes,
        "{\"show\":{\"id\":\"%c%0*d\",\"group\":\"%c/%0*d\",\"priority\":5,\"durationMs\":%d,\"text\":\"%s\"}}", m,
        ID_DIGITS, 0, m, GROUP_DIGITS, 0, HOUR_MS, content);
    show.id = strlen("{'show':{'id':'") + 1;
    show.group = show.id + ID_DIGITS + strlen("','group':'") + 2;
    return show;
}

static inline void write_show(const show_template *show, uint8_t *at, uint32_t number, uint32_t group) {
    memcpy(at, show->bytes, show->size);
    put_digits(at + show->id, ID_DIGITS, number);
    put_digits(at + show->group, GROUP_DIGITS, group);
    // Sequences count from 1.
    if (show->sequence != 0) put_wide(at + show->sequence, (uint64_t)number + 1);
}

// A Batch is its commands' bytes, each with the number of `Batch.commands` and the length before it.
static inline size_t put_batch_prefix(uint8_t *at, const show_template *show) {
    size_t size = put_varint(at, 15 << 3 | 2);
    return size + put_varint(at + size, show->size);
}
