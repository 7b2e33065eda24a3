// The relay and the broker: what goes through ZeroMQ's PUB and SUB.
#include "commands.h"
#include "sockets.h"
#include "states.h"
#include "system.h"

typedef enum { FRAMES3, FRAME1, SPLIT, SHOW, STATE_FRAME, BATCH, JSON, ACK, CONFIRMED, KINDS } kind;

static const struct {
    const char *name;
    uint32_t step;
    const char *channel;  // to which a consumer subscribes
} WORKLOADS[KINDS] = {
    [FRAMES3] = {"frames3", 1, "state/"},      // three frames of 16 + 60 + 200 B through a relay ("3f", the customary envelope)
    [FRAME1] = {"frame1", 1, ""},              // one frame of 276 B through a relay
    [SPLIT] = {"split", 1, "state/"},          // one frame of 276 B into a relay, two of 16 + 260 B out of it ("1+2f", as with `show`)
    [SHOW] = {"show", 1, "state/"},            // one `show` a frame into a broker, one `state/` out of it
    [STATE_FRAME] = {"frame", 1, "state+frame/"},  // as `show`, with one frame out of the broker
    [BATCH] = {"batch", 64, "feed/"},          // 64 `show` a frame into a broker, the states out of it on `feed/`
    [JSON] = {"json", 1, "state+json/"},       // as `show`, in JSON in and out
    [ACK] = {"ack", 1, "acks/"},       // one counted `show` a frame into a broker, its acknowledgements out of it
    [CONFIRMED] = {"confirmed", 1, "state/"},  // as `show`, each counted: the producer waits for the acknowledgements, too
};

enum { LOOKS_EACH = 64 };

static void *context, *connection, *acks;
static kind workload;
static int waits_ms = -1;

static kind kind_of(const char *name) {
    kind k = 0;
    while (k < KINDS && strcmp(WORKLOADS[k].name, name) != 0) k++;
    return k;
}

uint32_t system_step(const char *name) {
    kind k = kind_of(name);
    return k < KINDS ? WORKLOADS[k].step : 0;
}

// --- Producer --------------------------------------------------------------------------------------------------------

static void subscribe_to_acks(void *socket) {
    char topic[64];
    snprintf(topic, sizeof topic, "acks/%s/", PRODUCER);
    subscribe(socket, topic);
}

void open_producer(const run *r) {
    workload = kind_of(r->workload);
    context = zmq_ctx_new();
    connection = opened_producer(context, r->ingress, QUEUE);
    if (workload != CONFIRMED) return;
    acks = opened(context, ZMQ_SUB, QUEUE);
    set(acks, ZMQ_RCVTIMEO, PATIENCE_MS);
    subscribe_to_acks(acks);
    check(zmq_connect(acks, r->egress) == 0, r->egress);
}

// Takes the acknowledgements that have come, or waits for them until no more than so many commands are without one.
static void take_acks(int64_t sent, int64_t most_left) {
    static int64_t settled;
    zmq_msg_t frame;
    zmq_msg_init(&frame);
    while (settled < sent) {
        bool waits = sent - settled > most_left;
        if (!received(acks, &frame, waits ? 0 : ZMQ_DONTWAIT)) {
            check(!waits, "no acknowledgements came");
            break;
        }
        const uint8_t *bytes = zmq_msg_data(&frame);
        int64_t sequence = settled_sequence((reader){bytes, bytes + zmq_msg_size(&frame)});
        if (sequence > settled) settled = sequence;
    }
    zmq_msg_close(&frame);
}

static void send_frame(const void *bytes, size_t size, int flags) {
    check(zmq_send(connection, bytes, size, flags) >= 0, "zmq_send");
}

static void send_relayed(mark m, uint32_t number, uint32_t group) {
    static char topic[TOPIC_BYTES + 1] = "state/b/0000000/";
    static uint8_t header[60], body[276];
    write_body(body, m, number);
    if (workload == FRAME1) {
        send_frame(body, sizeof body, 0);
        return;
    }
    topic[6] = (char)m;
    put_digits(topic + 8, GROUP_DIGITS, group);
    if (workload == SPLIT) {
        memcpy(body, topic, TOPIC_BYTES);
        write_body(body + TOPIC_BYTES, m, number);
        send_frame(body, sizeof body, 0);
        return;
    }
    send_frame(topic, TOPIC_BYTES, ZMQ_SNDMORE);
    send_frame(header, sizeof header, ZMQ_SNDMORE);
    send_frame(body, BODY_BYTES, 0);
}

static void send_shows(const run *r, const show_template *show, mark m, uint32_t first, uint32_t count) {
    uint8_t prefix[8];
    size_t prefix_size = put_batch_prefix(prefix, show);
    zmq_msg_t message;
    size_t size = count == 1 ? show->size : count * (prefix_size + show->size);
    check(zmq_msg_init_size(&message, size) == 0, "zmq_msg_init_size");
    uint8_t *at = zmq_msg_data(&message);
    for (uint32_t i = first; i < first + count; i++) {
        if (count > 1) at = (uint8_t *)memcpy(at, prefix, prefix_size) + prefix_size;
        write_show(show, at, i, m == PROBE ? 0 : group_of(r, i));
        at += show->size;
    }
    check(zmq_msg_send(&message, connection, 0) >= 0, "zmq_msg_send");
}

void send_messages(const run *r, mark m, uint32_t first, uint32_t count) {
    static show_template probe, bulk;
    if (bulk.size == 0) {
        bulk = workload == JSON ? make_json_show(BULK) : make_show(BULK, workload == ACK || workload == CONFIRMED);
        probe = workload == JSON ? make_json_show(PROBE) : make_show(PROBE, false);
    }
    if (workload == FRAMES3 || workload == FRAME1 || workload == SPLIT) {
        send_relayed(m, first, m == PROBE ? 0 : group_of(r, first));
    } else if (workload == ACK && m == PROBE) {
        // What is counted can be sent again: its first one is the probe.
        send_shows(r, &bulk, BULK, 0, 1);
    } else {
        send_shows(r, m == PROBE ? &probe : &bulk, m, first, count);
        if (workload == CONFIRMED && m == BULK && first % LOOKS_EACH == 0) take_acks(first + 1, WINDOW);
    }
}

// libzmq's thread sends what there is.
void flush_messages(const run *r) {
    (void)r;
}

void close_producer(const run *r) {
    if (workload == CONFIRMED) {
        take_acks(r->count, 0);
        zmq_close(acks);
    }
    zmq_close(connection);
    zmq_ctx_term(context);
}

// --- Consumer --------------------------------------------------------------------------------------------------------

void open_consumer(const run *r) {
    workload = kind_of(r->workload);
    context = zmq_ctx_new();
    connection = opened(context, ZMQ_SUB, QUEUE);
    set(connection, ZMQ_SNDHWM, 0);  // of subscriptions, too, there may be more than the queue holds
    const char *channel = WORKLOADS[workload].channel;
    char topic[64];
    if (workload == ACK) {
        subscribe_to_acks(connection);
    } else if (r->subscriptions == 0) {
        subscribe(connection, channel);
    } else {
        for (uint32_t i = 0; i < r->subscriptions; i++) {
            snprintf(topic, sizeof topic, "%s%c/%0*u/", channel, BULK, GROUP_DIGITS, i);
            subscribe(connection, topic);
        }
        // The way counts as open once a probe has come: libzmq sends subscriptions in byte order, this one last.
        snprintf(topic, sizeof topic, "%s%c/", channel, PROBE);
        subscribe(connection, topic);
    }
    check(zmq_connect(connection, r->egress) == 0, r->egress);
}

static void take_body(tally *t, reader body) {
    switch (workload) {
    case FRAMES3:
    case FRAME1:
    case SPLIT:
        take(t, number_in(body.at, (size_t)(body.end - body.at)));
        break;
    case SHOW:
    case CONFIRMED:
        take(t, shown_number(body));
        break;
    case STATE_FRAME: {
        // The topic ends with a zero byte.
        const uint8_t *end = memchr(body.at, 0, (size_t)(body.end - body.at));
        check(end != NULL, "a state without a topic came");
        take(t, shown_number((reader){end + 1, body.end}));
        break;
    }
    case JSON:
        take(t, shown_number_json(body));
        break;
    case BATCH:
        for (field f; next_field(&body, &f);)
            if (f.field == 1) take(t, shown_number(f.bytes));
        break;
    case ACK: {
        // Acknowledgements are repeated: what they settled before is not settled twice.
        static int64_t settled = 0;
        for (int64_t sequence = settled_sequence(body); settled < sequence; settled++) take(t, settled);
        break;
    }
    case KINDS:
        break;
    }
}

bool receive(const run *r, int wait_ms, tally *t) {
    (void)r;
    static zmq_msg_t frame;
    if (waits_ms != wait_ms) {
        if (waits_ms < 0) zmq_msg_init(&frame);
        set(connection, ZMQ_RCVTIMEO, wait_ms);
        waits_ms = wait_ms;
    }
    if (!received(connection, &frame, 0)) return false;
    const uint8_t *bytes = zmq_msg_data(&frame);
    take_body(t, (reader){bytes, bytes + zmq_msg_size(&frame)});
    return true;
}
