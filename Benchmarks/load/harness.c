// Drives a system from both sides and measures what comes through: a producer process, and consumer processes.
//
// load WORKLOAD INGRESS EGRESS [count=N] [warmup=N] [rate=N] [groups=N] [consumers=N] [subscriptions=N]
//
// Prints `rate=… p50=… p90=… p99=… p999=… max=… lost=… twice=…`: messages a second after the warm-up, as the slowest consumer
// had them, and the one-way latency in µs, from the moment when a message was to be sent to its acknowledgement. Nothing is ever dropped
// by a full queue: the producer stays within a window that the slowest consumer moves on.
// Exit 0 only if each consumer got each message exactly once.
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "system.h"

// --- Producer --------------------------------------------------------------------------------------------------------

// Probes until one has reached every consumer: then all subscriptions are in force.
static void open_way(const run *r) {
    int64_t give_up = now() + PATIENCE_MS * INT64_C(1000000);
    for (uint32_t i = 0; atomic_load(&r->shared->joined) < r->consumers; i++) {
        if (now() > give_up) fail(r->workload, "no probe came through");
        send_messages(r, PROBE, i, 1);
        flush_messages(r);
        sleep_until(now() + 10000000);
    }
}

static uint32_t taken_by_all(const run *r) {
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < r->consumers; i++) {
        uint32_t taken = atomic_load_explicit(&r->shared->of[i].taken, memory_order_relaxed);
        if (taken < least) least = taken;
    }
    return least;
}

static int produce(const run *r) {
    sleep_exactly();
    open_producer(r);
    open_way(r);
    uint32_t step = system_step(r->workload), taken = 0;
    atomic_store(&r->shared->start, now());
    for (uint32_t i = 0; i < r->count; i += step) {
        uint32_t count = r->count - i < step ? r->count - i : step;
        while (i + count > taken + WINDOW) {
            uint64_t credit;
            flush_messages(r);
            if (read(r->credits, &credit, sizeof credit) != sizeof credit) fail("credits", "they can't be read");
            taken = taken_by_all(r);
        }
        if (r->rate > 0 && due(r, i + count - 1) > now()) {
            flush_messages(r);
            sleep_until(due(r, i + count - 1));
        }
        send_messages(r, BULK, i, count);
    }
    close_producer(r);
    return 0;
}

// --- Consumer --------------------------------------------------------------------------------------------------------

struct tally {
    const run *r;
    findings *found;
    uint8_t *seen;
    uint32_t taken, untold;
};

void take(tally *t, int64_t number) {
    const run *r = t->r;
    if (number < 0 || number >= r->count) return;
    if (t->seen[number]++) {
        t->found->twice++;
        return;
    }
    if (++t->taken == r->warm_up) t->found->begin = now();
    if (r->rate > 0 && number >= r->warm_up) record(&t->found->latency, now() - due(r, (uint32_t)number));
    if (++t->untold < CREDIT && t->taken < r->count) return;
    t->untold = 0;
    atomic_store_explicit(&t->found->taken, t->taken, memory_order_relaxed);
    uint64_t credit = 1;
    if (write(r->credits, &credit, sizeof credit) != sizeof credit) fail("credits", "they can't be given");
}

static int consume(const run *r, findings *found) {
    tally t = {.r = r, .found = found, .seen = calloc(r->count, 1)};
    open_consumer(r);
    if (!receive(r, PATIENCE_MS, &t)) fail(r->workload, "nothing came through");
    atomic_fetch_add(&r->shared->joined, 1);
    while (t.taken < r->count && receive(r, PATIENCE_MS, &t)) {}
    found->end = now();
    // A moment longer: a repetition could follow.
    while (t.taken == r->count && receive(r, 200, &t)) {}
    atomic_store(&found->taken, t.taken);
    return t.taken == r->count && found->twice == 0 ? 0 : 1;
}

// --- Both ------------------------------------------------------------------------------------------------------------

static run parsed(int count, char **arguments) {
    if (count < 4 || system_step(arguments[1]) == 0) {
        fprintf(stderr, "usage: %s WORKLOAD INGRESS EGRESS [count=N] [warmup=N] [rate=N] [groups=N] [consumers=N] "
                        "[subscriptions=N]\n", arguments[0]);
        exit(64);
    }
    run r = {.workload = arguments[1], .ingress = arguments[2], .egress = arguments[3], .count = 100000,
             .warm_up = UINT32_MAX, .groups = 1000, .consumers = 1};
    for (int i = 4; i < count; i++) {
        char name[32];
        double value;
        if (sscanf(arguments[i], "%31[a-z]=%lf", name, &value) != 2) fail(arguments[i], "is not NAME=NUMBER");
        if (strcmp(name, "count") == 0) r.count = (uint32_t)value;
        else if (strcmp(name, "warmup") == 0) r.warm_up = (uint32_t)value;
        else if (strcmp(name, "rate") == 0) r.rate = value;
        else if (strcmp(name, "groups") == 0) r.groups = (uint32_t)value;
        else if (strcmp(name, "consumers") == 0) r.consumers = (uint32_t)value;
        else if (strcmp(name, "subscriptions") == 0) r.subscriptions = (uint32_t)value;
        else fail(name, "is no option");
    }
    if (r.warm_up == UINT32_MAX) r.warm_up = r.count / 10;
    if (r.warm_up < 1 || r.warm_up >= r.count) fail("warmup", "must be from 1 to less than count");
    if (r.groups < 1 || r.groups > 10000000) fail("groups", "must be from 1 to 10000000");
    if (r.consumers < 1 || r.consumers > MOST_CONSUMERS) fail("consumers", "must be from 1 to 64");
    return r;
}

static void print(const run *r) {
    double slowest = 0;
    uint32_t lost = 0, twice = 0;
    histogram *latency = calloc(1, sizeof *latency);
    for (uint32_t i = 0; i < r->consumers; i++) {
        const findings *found = &r->shared->of[i];
        double seconds = (double)(found->end - found->begin) / 1e9;
        if (seconds > slowest) slowest = seconds;
        lost += r->count - found->taken;
        twice += found->twice;
        add(latency, &found->latency);
    }
    printf("rate=%.0f", lost == 0 ? (r->count - r->warm_up) / slowest : 0);
    if (latency->total > 0)
        printf(" p50=%.1f p90=%.1f p99=%.1f p999=%.1f max=%.1f", (double)quantile(latency, 0.5) / 1e3,
               (double)quantile(latency, 0.9) / 1e3, (double)quantile(latency, 0.99) / 1e3,
               (double)quantile(latency, 0.999) / 1e3, (double)latency->largest / 1e3);
    printf(" lost=%u twice=%u\n", lost, twice);
    fflush(stdout);
}

// Starts a process that ends with this one, if not before.
static pid_t begun(void) {
    pid_t process = fork();
    if (process == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
    return process;
}

static int ended(pid_t process) {
    int status;
    waitpid(process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int count, char **arguments) {
    run r = parsed(count, arguments);
    r.credits = eventfd(0, 0);
    r.shared = mmap(NULL, sizeof *r.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (r.credits < 0 || r.shared == MAP_FAILED) fail("memory", strerror(errno));

    pid_t consumers[MOST_CONSUMERS];
    for (uint32_t i = 0; i < r.consumers; i++)
        if ((consumers[i] = begun()) == 0) return consume(&r, &r.shared->of[i]);
    pid_t producer = begun();
    if (producer == 0) return produce(&r);

    int result = 0;
    for (uint32_t i = 0; i < r.consumers; i++) result |= ended(consumers[i]);
    // One that still waits for credits would wait for ever.
    if (result != 0) kill(producer, SIGTERM);
    result |= ended(producer);
    print(&r);
    return result;
}
