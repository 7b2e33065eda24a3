// Lets many popups wait in one group of a broker and measures how fast further ones come and go: each push joins the queue by
// its priority, each `advance` closes the active popup and shows the first of the queue.
//
// load-waiting INGRESS EGRESS [waiting=N] [count=N]
//
// Prints `fill=… rate=… lost=…`: popups a second while the line was filled, and pairs of a push and an advance a second. Every command is numbered: acknowledgements tell that
// it was accepted. Exit 0 only if all were.
#include <string.h>

#include "batches.h"
#include "clock.h"
#include "states.h"

enum { STEP = 64, PRIORITIES = 100, UNDER_WAY = 1024 };

typedef struct {
    void *in, *out;
    zmq_msg_t frame;
    show_template show;
    uint64_t sent, settled;   // sequences
    uint32_t popups;
    bool is_refused;
} line;

// Whether there was any.
static bool take_acks(line *l, int flags) {
    bool is_any = false;
    for (; received(l->out, &l->frame, flags); flags = ZMQ_DONTWAIT) {
        is_any = true;
        const uint8_t *bytes = zmq_msg_data(&l->frame);
        reader ack = {bytes, bytes + zmq_msg_size(&l->frame)};
        uint64_t settled = 0;
        for (field f; next_field(&ack, &f);) {
            if (f.field == 2) settled = f.number;
            if (f.field == 4) l->is_refused = true;
        }
        if (settled > l->settled) l->settled = settled;
    }
    return is_any;
}

static void push(line *l, batch *b) {
    uint8_t command[sizeof l->show.bytes];
    write_show(&l->show, command, l->popups, 0);
    command[l->show.priority] = 1 + l->popups * UINT64_C(2654435761) % PRIORITIES;
    put_wide(command + l->show.sequence, ++l->sent);
    put_command(b, command, l->show.size);
    l->popups++;
}

// `advance` of the group, numbered.
static void advance(line *l, batch *b) {
    uint8_t command[128], inner[32];
    size_t size = put_bytes(command, 1, PRODUCER, strlen(PRODUCER));
    size += put_number(command + size, 2, ++l->sent);
    size_t inner_size = put_bytes(inner, 1, l->show.bytes + l->show.group - 2, 2 + GROUP_DIGITS);
    size += put_bytes(command + size, 6, inner, inner_size);
    put_command(b, command, size);
}

// Sends so many rounds of a push, and of an advance if wanted; returns when all are settled. Seconds that it took.
static double drive(line *l, uint32_t rounds, bool advances) {
    static batch b;
    int64_t start = now();
    for (uint32_t i = 0; i < rounds;) {
        for (uint32_t end = i + STEP < rounds ? i + STEP : rounds; i < end; i++) {
            push(l, &b);
            if (advances) advance(l, &b);
        }
        send_batch(&b, l->in);
        take_acks(l, ZMQ_DONTWAIT);
        while (l->sent - l->settled > UNDER_WAY)
            if (!take_acks(l, 0)) fail("waiting", "no more acknowledgements came");
    }
    int64_t give_up = now() + PATIENCE_MS * INT64_C(1000000);
    while (l->settled < l->sent && now() < give_up) take_acks(l, 0);
    return (double)(now() - start) / 1e9;
}

int main(int count, char **arguments) {
    if (count < 3) {
        fprintf(stderr, "usage: %s INGRESS EGRESS [waiting=N] [count=N]\n", arguments[0]);
        return 64;
    }
    uint32_t waiting = 1000, rounds = 100000;
    for (int i = 3; i < count; i++) {
        if (sscanf(arguments[i], "waiting=%u", &waiting) + sscanf(arguments[i], "count=%u", &rounds) != 1)
            fail(arguments[i], "is no option");
    }
    static line l;
    l.show = make_show(LINE, true);
    zmq_msg_init(&l.frame);
    void *context = zmq_ctx_new();
    l.in = opened_producer(context, arguments[1], QUEUE);
    l.out = opened(context, ZMQ_SUB, QUEUE);
    set(l.out, ZMQ_RCVTIMEO, PATIENCE_MS);
    char acks[64];
    snprintf(acks, sizeof acks, "acks/%s/", PRODUCER);
    subscribe(l.out, acks);
    check(zmq_connect(l.out, arguments[2]) == 0, arguments[2]);

    // Acknowledgements are repeated each second: whether the subscription came before the first one doesn't matter.
    drive(&l, 1, false);
    double fill = drive(&l, waiting, false);
    double seconds = drive(&l, rounds, true);
    printf("fill=%.0f rate=%.0f lost=%llu refused=%d\n", waiting / fill, rounds / seconds,
           (unsigned long long)(l.sent - l.settled), l.is_refused);
    return l.settled == l.sent && !l.is_refused ? 0 : 1;
}
