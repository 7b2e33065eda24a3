// Drives a relay or a broker from both sides and measures what comes through: a producer process and a consumer process.
//
// load WORKLOAD INGRESS EGRESS COUNT RATE GROUPS
//
//   WORKLOAD  frames3  three frames of 16 + 60 + 200 B through a relay ("3f", the customary envelope)
//             frame1   one frame of 276 B through a relay
//             show     one `show` a frame into a broker, one `state/` out of it
//             batch    64 `show` a frame into a broker, the states out of it on `feed/`
//             receipt  one counted `show` a frame into a broker, its receipts out of it on `acks/`
//   COUNT     how many messages (commands), each with a number of its own
//   RATE      messages a second; 0: as many as come through
//   GROUPS    how many groups the popups are in, in turn
//
// Prints `rate=… p50=… p99=… lost=… twice=…`: messages a second over the last nine tenths of the run, and the one-way
// latency in µs. Nothing is ever dropped by a full queue: the producer stays within a window that the consumer's
// credits move on, and every queue on the way holds more than the window. Exit 0 only if each message came exactly once.
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include "wire.h"

enum { BATCH = 64, WINDOW = 4096, CREDIT = 256, HIGH_WATER_MARK = 10000, PATIENCE_MS = 10000 };

typedef enum { FRAMES3, FRAME1, SHOW, BATCHES, RECEIPTS } workload;

static const char PRODUCER[] = "62656e63680000000000000000000001";

// What both processes see.
typedef struct {
    atomic_bool joined;         // the consumer has got a first probe: the way is open
    int64_t sent_at[];          // by the message's number, ns
} shared_page;

typedef struct {
    workload kind;
    const char *ingress, *egress;
    uint32_t count, groups;
    double rate;
    int credits;                // eventfd: how many messages the consumer has taken
    shared_page *shared;
} run;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void sleep_until(int64_t when) {
    struct timespec time = {when / 1000000000, when % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {}
}

static void fail(const char *what) {
    fprintf(stderr, "load: %s: %s\n", what, zmq_strerror(zmq_errno()));
    exit(69);
}

static void set(void *socket, int option, int value) {
    if (zmq_setsockopt(socket, option, &value, sizeof value) != 0) fail("zmq_setsockopt");
}

// --- Producer --------------------------------------------------------------------------------------------------------

static void send_frame(void *socket, const void *bytes, size_t size, int flags) {
    if (zmq_send(socket, bytes, size, flags) < 0) fail("zmq_send");
}

// The number stands at the beginning of the last frame of a relayed message.
static void send_relayed(void *socket, workload kind, char mark, uint32_t number) {
    static uint8_t topic[16], header[60], body[276];
    body[0] = mark;
    put_digits(body + 1, ID_DIGITS, number);
    if (kind == FRAME1) {
        send_frame(socket, body, sizeof body, 0);
    } else {
        send_frame(socket, topic, sizeof topic, ZMQ_SNDMORE);
        send_frame(socket, header, sizeof header, ZMQ_SNDMORE);
        send_frame(socket, body, 200, 0);
    }
}

static void send_shows(void *socket, const run *r, const show_template *show, uint32_t first, uint32_t count) {
    zmq_msg_t message;
    // A Batch is a Command's bytes, each time with the number of Batch.commands and the length before them.
    uint8_t prefix[8];
    size_t prefix_size = put_varint(prefix, 15 << 3 | 2);
    prefix_size += put_varint(prefix + prefix_size, show->size);
    size_t size = count == 1 ? show->size : count * (prefix_size + show->size);
    if (zmq_msg_init_size(&message, size) != 0) fail("zmq_msg_init_size");
    uint8_t *at = zmq_msg_data(&message);
    for (uint32_t i = first; i < first + count; i++) {
        if (count > 1) at = (uint8_t *)memcpy(at, prefix, prefix_size) + prefix_size;
        write_show(show, at, i, i % r->groups);
        at += show->size;
    }
    if (zmq_msg_send(&message, socket, 0) < 0) fail("zmq_msg_send");
}

// Probes until one has come through: then both subscriptions are in force.
static void open_way(const run *r, void *socket) {
    uint8_t subscription[64];
    if (zmq_recv(socket, subscription, sizeof subscription, 0) < 0) fail("no subscription came from the relay or broker");
    // What is counted can be sent again: its first one is the probe.
    bool is_counted = r->kind == RECEIPTS;
    show_template probe = make_show(is_counted ? 'b' : 'p', is_counted ? PRODUCER : NULL);
    int64_t give_up = now() + PATIENCE_MS * INT64_C(1000000);
    for (uint32_t i = 0; !atomic_load(&r->shared->joined); i++) {
        if (now() > give_up) fail("no probe came through");
        if (r->kind == FRAMES3 || r->kind == FRAME1) {
            send_relayed(socket, r->kind, 'p', i);
        } else {
            send_shows(socket, r, &probe, is_counted ? 0 : i, 1);
        }
        sleep_until(now() + 10000000);
    }
}

static int produce(const run *r) {
    void *context = zmq_ctx_new();
    void *socket = zmq_socket(context, ZMQ_XPUB);  // a PUB that sees the subscription arrive
    set(socket, ZMQ_SNDHWM, HIGH_WATER_MARK);
    set(socket, ZMQ_XPUB_NODROP, 1);
    set(socket, ZMQ_RCVTIMEO, PATIENCE_MS);
    set(socket, ZMQ_LINGER, PATIENCE_MS);
    if (zmq_connect(socket, r->ingress) != 0) fail(r->ingress);
    open_way(r, socket);

    show_template show = make_show('b', r->kind == RECEIPTS ? PRODUCER : NULL);
    uint32_t step = r->kind == BATCHES ? BATCH : 1;
    uint64_t taken = 0;
    int64_t start = now();
    for (uint32_t i = 0; i < r->count; i += step) {
        while (i + step > taken + WINDOW) {
            uint64_t credit;
            if (read(r->credits, &credit, sizeof credit) != sizeof credit) fail("credits");
            taken += credit;
        }
        if (r->rate > 0) sleep_until(start + (int64_t)(i / r->rate * 1e9));
        uint32_t count = r->count - i < step ? r->count - i : step;
        if (r->rate > 0) {
            int64_t time = now();
            for (uint32_t j = i; j < i + count; j++) r->shared->sent_at[j] = time;
        }
        if (r->kind == FRAMES3 || r->kind == FRAME1) {
            send_relayed(socket, r->kind, 'b', i);
        } else {
            send_shows(socket, r, &show, i, count);
        }
    }
    zmq_close(socket);
    zmq_ctx_term(context);
    return 0;
}

// --- Consumer --------------------------------------------------------------------------------------------------------

typedef struct {
    const run *r;
    uint8_t *seen;
    uint32_t taken, twice, credit;
    int64_t begin, end;
} tally;

static void take(tally *t, int64_t number) {
    if (number < 0 || number >= t->r->count) return;
    if (t->seen[number]++) {
        t->twice++;
        return;
    }
    t->taken++;
    if (t->taken == t->r->count / 10) t->begin = now();
    if (t->r->rate > 0) t->r->shared->sent_at[number] = now() - t->r->shared->sent_at[number];
    if (++t->credit < CREDIT && t->taken < t->r->count) return;
    uint64_t credit = t->credit;
    t->credit = 0;
    if (write(t->r->credits, &credit, sizeof credit) != sizeof credit) fail("credits");
}

static void take_body(tally *t, reader body) {
    switch (t->r->kind) {
    case FRAMES3:
    case FRAME1: {
        int64_t number = 0;
        if (*body.at == 'b') {
            for (int i = 1; i <= ID_DIGITS; i++) number = number * 10 + body.at[i] - '0';
            take(t, number);
        }
        break;
    }
    case SHOW:
        take(t, shown_number(body, 'b'));
        break;
    case BATCHES:
        for (field f; next_field(&body, &f);)
            if (f.field == 1) take(t, shown_number(f.bytes, 'b'));
        break;
    case RECEIPTS:
        // Receipts are repeated: what they settled before is not settled twice.
        for (int64_t settled = settled_sequence(body); t->taken < settled;) take(t, t->taken);
        break;
    }
}

static int by_size(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int consume(const run *r) {
    void *context = zmq_ctx_new();
    void *socket = zmq_socket(context, ZMQ_SUB);
    set(socket, ZMQ_RCVHWM, HIGH_WATER_MARK);
    set(socket, ZMQ_RCVTIMEO, PATIENCE_MS);
    char acks[64];
    snprintf(acks, sizeof acks, "acks/%s/", PRODUCER);
    const char *topic = r->kind == SHOW ? "state/" : r->kind == BATCHES ? "feed/" : r->kind == RECEIPTS ? acks : "";
    zmq_setsockopt(socket, ZMQ_SUBSCRIBE, topic, strlen(topic));
    if (zmq_connect(socket, r->egress) != 0) fail(r->egress);

    tally t = {.r = r, .seen = calloc(r->count, 1)};
    zmq_msg_t frame;
    zmq_msg_init(&frame);
    // A moment longer than to the last one: a repetition could follow.
    while (t.taken < r->count || t.twice == 0) {
        do {
            if (zmq_msg_recv(&frame, socket, 0) < 0) goto quiet;
        } while (zmq_msg_more(&frame));
        atomic_store(&r->shared->joined, true);
        const uint8_t *bytes = zmq_msg_data(&frame);
        take_body(&t, (reader){bytes, bytes + zmq_msg_size(&frame)});
        if (t.taken == r->count && t.end == 0) {
            t.end = now();
            set(socket, ZMQ_RCVTIMEO, 200);
        }
    }
quiet:
    if (t.end == 0) t.end = now();
    double seconds = (t.end - t.begin) / 1e9;
    uint32_t measured = t.taken - r->count / 10;
    printf("rate=%.0f", t.begin ? measured / seconds : 0);
    if (r->rate > 0 && t.taken == r->count) {
        // The first tenth warms up.
        int64_t *latency = r->shared->sent_at + r->count / 10;
        qsort(latency, measured, sizeof *latency, by_size);
        printf(" p50=%.0f p99=%.0f", latency[measured / 2] / 1e3, latency[(uint64_t)measured * 99 / 100] / 1e3);
    }
    printf(" lost=%u twice=%u\n", r->count - t.taken, t.twice);
    fflush(stdout);
    return t.taken == r->count && t.twice == 0 ? 0 : 1;
}

// --- Both ------------------------------------------------------------------------------------------------------------

int main(int count, char **arguments) {
    static const char *names[] = {"frames3", "frame1", "show", "batch", "receipt"};
    run r = {.kind = FRAMES3};
    while (count == 7 && r.kind <= RECEIPTS && strcmp(names[r.kind], arguments[1]) != 0) r.kind++;
    if (count != 7 || r.kind > RECEIPTS || atoi(arguments[4]) < 1000 || atoi(arguments[6]) < 1) {
        fprintf(stderr, "load: usage: load frames3|frame1|show|batch|receipt INGRESS EGRESS COUNT RATE GROUPS\n"
                        "(COUNT from 1000 on)\n");
        return 64;
    }
    r.ingress = arguments[2];
    r.egress = arguments[3];
    r.count = (uint32_t)atoi(arguments[4]);
    r.rate = atof(arguments[5]);
    r.groups = (uint32_t)atoi(arguments[6]);
    r.credits = eventfd(0, 0);
    r.shared = mmap(NULL, sizeof *r.shared + r.count * sizeof(int64_t), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (r.credits < 0 || r.shared == MAP_FAILED) fail("memory");

    pid_t producer = fork();
    if (producer == 0) return produce(&r);
    int result = consume(&r);
    // One that still waits for credits would wait for ever.
    if (result != 0) kill(producer, SIGTERM);
    int status;
    waitpid(producer, &status, 0);
    return result != 0 ? result : WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
