// RabbitMQ: one priority queue behind a topic exchange. `transient` keeps nothing and waits for nothing; `durable` has persistent
// messages that the server confirms to the producer, and that the consumer acknowledges.
#include <amqp.h>
#include <amqp_tcp_socket.h>
#include <string.h>

#include "system.h"

enum { CHANNEL = 1, ACKNOWLEDGED_AT_ONCE = 64, LOOKS_EACH = 64, UNCONFIRMED = 2048 };

static amqp_connection_state_t connection;
static bool is_durable;
static uint64_t published, confirmed;  // the delivery tags of both end here

uint32_t system_step(const char *workload) {
    return strcmp(workload, "transient") == 0 || strcmp(workload, "durable") == 0;
}

static void check(int status, const char *what) {
    if (status != AMQP_STATUS_OK) fail(what, amqp_error_string2(status));
}

static void check_reply(amqp_rpc_reply_t reply, const char *what) {
    if (reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION) fail(what, amqp_error_string2(reply.library_error));
    if (reply.reply_type != AMQP_RESPONSE_NORMAL) fail(what, "the server refused it");
}

static void check_call(const char *what) {
    check_reply(amqp_get_rpc_reply(connection), what);
}

static void open_connection(const run *r) {
    char host[32];
    int port;
    if (sscanf(r->ingress, "%31[^:]:%d", host, &port) != 2) fail(r->ingress, "is not HOST:PORT");
    is_durable = strcmp(r->workload, "durable") == 0;
    connection = amqp_new_connection();
    amqp_socket_t *socket = amqp_tcp_socket_new(connection);
    check(amqp_socket_open(socket, host, port), r->ingress);
    check_reply(amqp_login(connection, "/", 0, 131072, 0, AMQP_SASL_METHOD_PLAIN, "guest", "guest"), "amqp_login");
    amqp_channel_open(connection, CHANNEL);
    check_call("amqp_channel_open");

    // Both processes do so: the second one finds it as it is.
    amqp_bytes_t name = amqp_cstring_bytes("bench");
    amqp_exchange_declare(
        connection, CHANNEL, name, amqp_cstring_bytes("topic"), 0, is_durable, 0, 0, amqp_empty_table);
    check_call("amqp_exchange_declare");
    amqp_table_entry_t priorities = {
        .key = amqp_cstring_bytes("x-max-priority"), .value = {.kind = AMQP_FIELD_KIND_I32, .value = {.i32 = 10}}};
    amqp_queue_declare(connection, CHANNEL, name, 0, is_durable, 0, 0, (amqp_table_t){1, &priorities});
    check_call("amqp_queue_declare");
    amqp_queue_bind(connection, CHANNEL, name, name, amqp_cstring_bytes("#"), amqp_empty_table);
    check_call("amqp_queue_bind");
}

// --- Producer --------------------------------------------------------------------------------------------------------

void open_producer(const run *r) {
    open_connection(r);
    if (!is_durable) return;
    amqp_confirm_select(connection, CHANNEL);
    check_call("amqp_confirm_select");
}

// Confirmations may overtake one another: those above the first missing one are remembered until it comes.
static void confirm(uint64_t tag, bool all_up_to_it) {
    enum { REMEMBERED = 16384 };
    static uint64_t seen[REMEMBERED];
    if (all_up_to_it && tag > confirmed) confirmed = tag;
    seen[tag % REMEMBERED] = tag;
    while (seen[(confirmed + 1) % REMEMBERED] == confirmed + 1) confirmed++;
}

// Takes confirmations that have come, or waits for them until no more than so many messages are unconfirmed.
static void take_confirmations(uint64_t most_left) {
    for (;;) {
        bool waits = published - confirmed > most_left;
        struct timeval wait = {waits ? PATIENCE_MS / 1000 : 0, 0};
        amqp_frame_t frame;
        int status = amqp_simple_wait_frame_noblock(connection, &frame, &wait);
        if (status == AMQP_STATUS_TIMEOUT && !waits) return;
        check(status, "confirmations");
        if (frame.frame_type != AMQP_FRAME_METHOD || frame.payload.method.id != AMQP_BASIC_ACK_METHOD)
            fail("confirmations", "the server sent something else");
        const amqp_basic_ack_t *ack = frame.payload.method.decoded;
        confirm(ack->delivery_tag, ack->multiple);
        amqp_maybe_release_buffers(connection);
    }
}

void send_messages(const run *r, mark m, uint32_t first, uint32_t count) {
    static uint8_t body[BODY_BYTES];
    amqp_basic_properties_t properties = {
        ._flags = AMQP_BASIC_DELIVERY_MODE_FLAG | AMQP_BASIC_PRIORITY_FLAG, .delivery_mode = is_durable ? 2 : 1, .priority = 5};
    for (uint32_t i = first; i < first + count; i++) {
        char key[32];
        snprintf(key, sizeof key, "%c.%0*u", m, GROUP_DIGITS, m == PROBE ? 0 : group_of(r, i));
        write_body(body, m, i);
        check(amqp_basic_publish(connection, CHANNEL, amqp_cstring_bytes("bench"), amqp_cstring_bytes(key), 0, 0, &properties,
                                 (amqp_bytes_t){sizeof body, body}), "amqp_basic_publish");
        if (is_durable && ++published % LOOKS_EACH == 0) take_confirmations(UNCONFIRMED);
    }
}

// Each is sent at once.
void flush_messages(const run *r) {
    (void)r;
}

void close_producer(const run *r) {
    (void)r;
    while (is_durable && confirmed < published) take_confirmations(0);
    check_reply(amqp_connection_close(connection, AMQP_REPLY_SUCCESS), "amqp_connection_close");
}

// --- Consumer --------------------------------------------------------------------------------------------------------

void open_consumer(const run *r) {
    open_connection(r);
    amqp_basic_qos(connection, CHANNEL, 0, WINDOW, 0);
    check_call("amqp_basic_qos");
    amqp_basic_consume(
        connection, CHANNEL, amqp_cstring_bytes("bench"), amqp_empty_bytes, 0, !is_durable, 0, amqp_empty_table);
    check_call("amqp_basic_consume");
}

bool receive(const run *r, int wait_ms, tally *t) {
    (void)r;
    static uint64_t unacknowledged;
    struct timeval wait = {wait_ms / 1000, wait_ms % 1000 * 1000};
    amqp_envelope_t envelope;
    amqp_maybe_release_buffers(connection);
    amqp_rpc_reply_t reply = amqp_consume_message(connection, &envelope, &wait, 0);
    if (reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION && reply.library_error == AMQP_STATUS_TIMEOUT) return false;
    check_reply(reply, "amqp_consume_message");
    take(t, number_in(envelope.message.body.bytes, envelope.message.body.len));
    if (is_durable && ++unacknowledged == ACKNOWLEDGED_AT_ONCE) {
        check(amqp_basic_ack(connection, CHANNEL, envelope.delivery_tag, 1), "amqp_basic_ack");
        unacknowledged = 0;
    }
    amqp_destroy_envelope(&envelope);
    return true;
}
