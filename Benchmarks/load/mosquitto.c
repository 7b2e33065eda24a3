// Mosquitto (MQTT): `qos0` passes messages on at most once, `qos1` confirms each on both sides.
#include <mosquitto.h>
#include <stdatomic.h>
#include <string.h>

#include "clock.h"
#include "system.h"

static struct mosquitto *connection;
static int quality;
static uint32_t sent;
static atomic_uint confirmed;
static tally *present;
static bool has_received;

uint32_t system_step(const char *workload) {
    return strcmp(workload, "qos0") == 0 || strcmp(workload, "qos1") == 0;
}

static void check(int result, const char *what) {
    if (result != MOSQ_ERR_SUCCESS) fail(what, mosquitto_strerror(result));
}

static void open_connection(const run *r) {
    char host[32];
    int port;
    if (sscanf(r->ingress, "%31[^:]:%d", host, &port) != 2) fail(r->ingress, "is not HOST:PORT");
    quality = strcmp(r->workload, "qos1") == 0;
    mosquitto_lib_init();
    connection = mosquitto_new(NULL, true, NULL);
    mosquitto_int_option(connection, MOSQ_OPT_TCP_NODELAY, 1);
    mosquitto_int_option(connection, MOSQ_OPT_SEND_MAXIMUM, 65535);
    check(mosquitto_connect(connection, host, port, 60), r->ingress);
}

// --- Producer --------------------------------------------------------------------------------------------------------

static void published(struct mosquitto *m, void *context, int message) {
    (void)m;
    (void)context;
    (void)message;
    atomic_fetch_add(&confirmed, 1);
}

void open_producer(const run *r) {
    open_connection(r);
    mosquitto_publish_callback_set(connection, published);
    check(mosquitto_loop_start(connection), "mosquitto_loop_start");
}

void send_messages(const run *r, mark m, uint32_t first, uint32_t count) {
    static uint8_t body[BODY_BYTES];
    for (uint32_t i = first; i < first + count; i++) {
        char topic[32];
        snprintf(topic, sizeof topic, "%c/%0*u", m, GROUP_DIGITS, m == PROBE ? 0 : group_of(r, i));
        write_body(body, m, i);
        check(mosquitto_publish(connection, NULL, topic, sizeof body, body, quality, false), "mosquitto_publish");
        sent++;
    }
}

// The library's thread sends what there is.
void flush_messages(const run *r) {
    (void)r;
}

void close_producer(const run *r) {
    (void)r;
    int64_t give_up = now() + PATIENCE_MS * INT64_C(1000000);
    while (atomic_load(&confirmed) < sent) {
        if (now() > give_up) fail("mosquitto", "not everything was confirmed");
        sleep_until(now() + 1000000);
    }
}

// --- Consumer --------------------------------------------------------------------------------------------------------

static void received(struct mosquitto *m, void *context, const struct mosquitto_message *message) {
    (void)m;
    (void)context;
    has_received = true;
    take(present, number_in(message->payload, (size_t)message->payloadlen));
}

void open_consumer(const run *r) {
    open_connection(r);
    mosquitto_message_callback_set(connection, received);
    check(mosquitto_subscribe(connection, NULL, "#", quality), "mosquitto_subscribe");
}

bool receive(const run *r, int wait_ms, tally *t) {
    (void)r;
    present = t;
    has_received = false;
    int64_t give_up = now() + wait_ms * INT64_C(1000000);
    for (int64_t left; !has_received && (left = give_up - now()) > 0;)
        check(mosquitto_loop(connection, (int)(left / 1000000) + 1, 1), "mosquitto_loop");
    return has_received;
}
