// Gives a broker many popups, one a group, whose display times end spread over some seconds, and measures when the states
// that follow come.
//
// load-timers INGRESS EGRESS [count=N] [within=MS] [fill=MS]
//
//   within  how long the ends are spread over
//   fill    how long after the first popup is sent the first one ends: all must be shown by then
//
// When a popup's display time ends is known from its `shown` event, which has the broker's time, and its duration. The lateness of the state
// in which it is gone is measured by the same clock of the same machine, to the subscriber's acknowledgement. Both sides count in whole milliseconds: a state
// counts as early that comes more than one before its time.
//
// Prints `p50=… p99=… p999=… max=… early=… lost=… twice=…`, in µs. Exit 0 only if each popup ended once, and none early.
#include <string.h>

#include "batches.h"
#include "clock.h"
#include "states.h"

enum { STEP = 64, EVENTS = 2000000 };

typedef struct {
    uint32_t count, within_ms, fill_ms;
    void *in, *out;
    zmq_msg_t frame;
    uint32_t *duration;  // of each popup, in ms
    int64_t *end;        // when its display time ends, ms since 1970; 0: not shown yet
    uint32_t shown, ended, early, twice;
    histogram lateness;
} timers;

static int64_t now_ms(void) {
    return clock_ns(CLOCK_REALTIME) / 1000000;
}

static reader body(timers *t) {
    const uint8_t *bytes = zmq_msg_data(&t->frame);
    return (reader){bytes, bytes + zmq_msg_size(&t->frame)};
}

// --- Filling ---------------------------------------------------------------------------------------------------------

static void take_event(timers *t, reader event) {
    int64_t number = -1, time = 0;
    bool is_shown = false;
    for (field f; next_field(&event, &f);) {
        if (f.field == 2) number = number_in_id(f.bytes);
        if (f.field == 4) time = (int64_t)f.number;
        if (f.field == 8) is_shown = true;
    }
    if (!is_shown || number < 0 || number >= t->count || t->end[number] != 0) return;
    t->end[number] = time + t->duration[number];
    t->shown++;
}

static void open_way(timers *t) {
    show_template probe = make_show(PROBE, false);
    batch b = {.size = 0};
    set(t->out, ZMQ_RCVTIMEO, 10);
    for (uint32_t i = 0; i < PATIENCE_MS / 10; i++) {
        put_show(&b, &probe, i, 0, HOUR_MS);
        send_batch(&b, t->in);
        if (received(t->out, &t->frame, 0)) return;
    }
    fail("timers", "no probe came through");
}

static uint32_t send_some(timers *t, uint32_t first, int64_t first_end) {
    static show_template show;
    static batch b;
    if (show.size == 0) show = make_show(BULK, false);
    int64_t left = first_end - now_ms();
    if (left < 1000) fail("fill", "it takes longer than it may");
    uint32_t end = first + STEP < t->count ? first + STEP : t->count;
    for (uint32_t i = first; i < end; i++) {
        // The factor is prime: the ends come in another order than the popups.
        t->duration[i] = (uint32_t)left + (uint32_t)(i * UINT64_C(2654435761) % t->within_ms);
        put_show(&b, &show, i, i, t->duration[i]);
    }
    send_batch(&b, t->in);
    return end;
}

static void fill(timers *t) {
    set(t->out, ZMQ_RCVTIMEO, PATIENCE_MS);
    int64_t first_end = now_ms() + t->fill_ms;
    for (uint32_t sent = 0; t->shown < t->count;) {
        bool has_room = sent < t->count && sent - t->shown < WINDOW;
        if (has_room) sent = send_some(t, sent, first_end);
        // While there is room for more, what has come is only looked for.
        if (received(t->out, &t->frame, has_room ? ZMQ_DONTWAIT : 0)) {
            do take_event(t, body(t));
            while (received(t->out, &t->frame, ZMQ_DONTWAIT));
        } else if (!has_room) {
            fail("timers", "no more events came");
        }
    }
}

// --- The ends --------------------------------------------------------------------------------------------------------

static void take_state(timers *t, reader state) {
    enum { CLOSED = 7, TIMED_OUT = 3 };
    int64_t received_at = clock_ns(CLOCK_REALTIME), number = -1;
    uint64_t kind = 0, reason = 0;
    for (field f; next_field(&state, &f);) {
        if (f.field != 6) continue;
        for (field cause; next_field(&f.bytes, &cause);) {
            if (cause.field == 1) kind = cause.number;
            if (cause.field == 2) number = number_in_id(cause.bytes);
            if (cause.field == 3) reason = cause.number;
        }
    }
    if (kind != CLOSED || reason != TIMED_OUT || number < 0 || number >= t->count) return;
    if (t->end[number] == 0) {
        t->twice++;
        return;
    }
    int64_t lateness = received_at - t->end[number] * 1000000;
    t->end[number] = 0;
    t->ended++;
    if (lateness < -1000000) t->early++;
    record(&t->lateness, lateness);
}

static void watch(timers *t) {
    zmq_setsockopt(t->out, ZMQ_UNSUBSCRIBE, "events/", strlen("events/"));
    subscribe(t->out, "state/b/");
    set(t->out, ZMQ_RCVTIMEO, (int)(t->fill_ms + t->within_ms) + PATIENCE_MS);
    while (t->ended < t->count && received(t->out, &t->frame, 0)) {
        take_state(t, body(t));
        // Once it has begun, a silence is an end.
        if (t->ended == 1) set(t->out, ZMQ_RCVTIMEO, PATIENCE_MS);
    }
    set(t->out, ZMQ_RCVTIMEO, 500);
    int64_t give_up = now() + 5000000000;
    while (now() < give_up && received(t->out, &t->frame, 0)) take_state(t, body(t));
}

int main(int count, char **arguments) {
    if (count < 3) {
        fprintf(stderr, "usage: %s INGRESS EGRESS [count=N] [within=MS] [fill=MS]\n", arguments[0]);
        return 64;
    }
    static timers t = {.count = 100000, .within_ms = 10000, .fill_ms = 10000};
    for (int i = 3; i < count; i++) {
        if (sscanf(arguments[i], "count=%u", &t.count) + sscanf(arguments[i], "within=%u", &t.within_ms)
            + sscanf(arguments[i], "fill=%u", &t.fill_ms) != 1) fail(arguments[i], "is no option");
    }
    t.duration = calloc(t.count, sizeof *t.duration);
    t.end = calloc(t.count, sizeof *t.end);
    zmq_msg_init(&t.frame);
    void *context = zmq_ctx_new();
    t.in = opened_producer(context, arguments[1], QUEUE);
    t.out = opened(context, ZMQ_SUB, EVENTS);
    subscribe(t.out, "events/");
    check(zmq_connect(t.out, arguments[2]) == 0, arguments[2]);

    open_way(&t);
    fill(&t);
    watch(&t);
    printf("p50=%.1f p99=%.1f p999=%.1f max=%.1f early=%u lost=%u twice=%u\n", (double)quantile(&t.lateness, 0.5) / 1e3,
           (double)quantile(&t.lateness, 0.99) / 1e3, (double)quantile(&t.lateness, 0.999) / 1e3,
           (double)t.lateness.largest / 1e3, t.early, t.count - t.ended, t.twice);
    return t.ended == t.count && t.early == 0 && t.twice == 0 ? 0 : 1;
}
