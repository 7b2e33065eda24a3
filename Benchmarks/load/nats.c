// NATS: `core` passes messages on, `jetstream` keeps them in a file and confirms each to the producer before.
#include <nats/nats.h>
#include <string.h>

#include "system.h"

static natsConnection *connection;
static natsSubscription *subscription;
static jsCtx *stream;

uint32_t system_step(const char *workload) {
    return strcmp(workload, "core") == 0 || strcmp(workload, "jetstream") == 0;
}

static void check(natsStatus status, const char *what) {
    if (status != NATS_OK) fail(what, natsStatus_GetText(status));
}

static void refused(jsCtx *js, jsPubAckErr *error, void *closure) {
    (void)js;
    (void)closure;
    fail("jetstream", error->ErrText);
}

static void open_connection(const run *r) {
    char url[64];
    snprintf(url, sizeof url, "nats://%s", r->ingress);
    check(natsConnection_ConnectTo(&connection, url), url);
    if (strcmp(r->workload, "jetstream") != 0) return;
    jsOptions options;
    jsOptions_Init(&options);
    options.PublishAsync.MaxPending = WINDOW;
    options.PublishAsync.ErrHandler = refused;
    check(natsConnection_JetStream(&stream, connection, &options), "natsConnection_JetStream");
    // Both processes do so: the second one finds it as it is, or is refused while the first one is about it.
    jsStreamConfig configuration;
    jsStreamConfig_Init(&configuration);
    const char *subjects[] = {"bench.>"};
    configuration.Name = "bench";
    configuration.Subjects = subjects;
    configuration.SubjectsLen = 1;
    configuration.Storage = js_FileStorage;
    natsStatus status = NATS_ERR;
    for (int attempt = 0; attempt < 50 && status != NATS_OK; attempt++) {
        if (attempt > 0) nats_Sleep(100);
        status = js_AddStream(NULL, stream, &configuration, NULL, NULL);
    }
    check(status, "js_AddStream");
}

void open_producer(const run *r) {
    open_connection(r);
}

void send_messages(const run *r, mark m, uint32_t first, uint32_t count) {
    static uint8_t body[BODY_BYTES];
    for (uint32_t i = first; i < first + count; i++) {
        char subject[32];
        snprintf(subject, sizeof subject, "bench.%c.%0*u", m, GROUP_DIGITS, m == PROBE ? 0 : group_of(r, i));
        write_body(body, m, i);
        check(stream != NULL ? js_PublishAsync(stream, subject, body, sizeof body, NULL)
                             : natsConnection_Publish(connection, subject, body, sizeof body), "publish");
    }
}

// The library's thread sends what there is.
void flush_messages(const run *r) {
    (void)r;
}

void close_producer(const run *r) {
    (void)r;
    if (stream != NULL) {
        jsPubOptions options;
        jsPubOptions_Init(&options);
        options.MaxWait = PATIENCE_MS;
        check(js_PublishAsyncComplete(stream, &options), "js_PublishAsyncComplete");
    }
    check(natsConnection_FlushTimeout(connection, PATIENCE_MS), "natsConnection_FlushTimeout");
}

void open_consumer(const run *r) {
    open_connection(r);
    if (stream != NULL) {
        jsSubOptions options;
        jsSubOptions_Init(&options);
        options.Stream = "bench";
        options.Config.AckPolicy = js_AckNone;
        check(js_SubscribeSync(&subscription, stream, "bench.>", NULL, &options, NULL), "js_SubscribeSync");
    } else {
        check(natsConnection_SubscribeSync(&subscription, connection, "bench.>"), "natsConnection_SubscribeSync");
    }
    check(natsSubscription_SetPendingLimits(subscription, -1, -1), "natsSubscription_SetPendingLimits");
}

bool receive(const run *r, int wait_ms, tally *t) {
    (void)r;
    natsMsg *message;
    natsStatus status = natsSubscription_NextMsg(&message, subscription, wait_ms);
    if (status == NATS_TIMEOUT) return false;
    check(status, "natsSubscription_NextMsg");
    take(t, number_in(natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message)));
    natsMsg_Destroy(message);
    return true;
}
