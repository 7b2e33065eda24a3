// Commands gathered to a Batch.
#pragma once
#include "commands.h"
#include "sockets.h"

typedef struct {
    uint8_t bytes[64 * 1024];
    size_t size;
} batch;

static inline void put_command(batch *b, const uint8_t *command, size_t size) {
    b->size += put_bytes(b->bytes + b->size, 15, command, size);
}

static inline void put_show(batch *b, const show_template *show, uint32_t number, uint32_t group, uint32_t duration_ms) {
    uint8_t command[sizeof show->bytes];
    write_show(show, command, number, group);
    put_wide(command + show->duration, duration_ms);
    put_command(b, command, show->size);
}

static inline void send_batch(batch *b, void *socket) {
    check(zmq_send(socket, b->bytes, b->size, 0) >= 0, "zmq_send");
    b->size = 0;
}
