// Redis: `pubsub` passes messages on, `zset` is a sorted set as a priority queue (ZADD, ZPOPMIN).
#include <hiredis/hiredis.h>
#include <string.h>

#include "system.h"

enum { POPPED_AT_ONCE = 64, UNANSWERED = 1024 };

static redisContext *connection;
static bool is_queue;
static uint32_t unanswered;
static int waits_ms = -1;

uint32_t system_step(const char *workload) {
    return strcmp(workload, "pubsub") == 0 || strcmp(workload, "zset") == 0;
}

static redisReply *answer(void) {
    redisReply *reply = NULL;
    if (redisGetReply(connection, (void **)&reply) != REDIS_OK) return NULL;
    if (reply->type == REDIS_REPLY_ERROR) fail("redis", reply->str);
    return reply;
}

static void open_connection(const run *r) {
    char host[32];
    int port;
    if (sscanf(r->ingress, "%31[^:]:%d", host, &port) != 2) fail(r->ingress, "is not HOST:PORT");
    connection = redisConnect(host, port);
    if (connection == NULL || connection->err) fail(r->ingress, connection != NULL ? connection->errstr : "no memory");
    is_queue = strcmp(r->workload, "zset") == 0;
}

// --- Producer --------------------------------------------------------------------------------------------------------

void open_producer(const run *r) {
    open_connection(r);
}

static void take_answers(uint32_t most_left) {
    for (; unanswered > most_left; unanswered--) {
        redisReply *reply = answer();
        if (reply == NULL) fail("redis", connection->errstr);
        freeReplyObject(reply);
    }
}

void send_messages(const run *r, mark m, uint32_t first, uint32_t count) {
    static uint8_t body[BODY_BYTES];
    for (uint32_t i = first; i < first + count; i++) {
        char channel[32];
        snprintf(channel, sizeof channel, "%c:%0*u", m, GROUP_DIGITS, m == PROBE ? 0 : group_of(r, i));
        write_body(body, m, i);
        if (is_queue) {
            redisAppendCommand(connection, "ZADD queue 5 %b", body, sizeof body);
        } else {
            redisAppendCommand(connection, "PUBLISH %s %b", channel, body, sizeof body);
        }
        if (++unanswered % POPPED_AT_ONCE == 0) flush_messages(r);
        if (unanswered >= UNANSWERED) take_answers(UNANSWERED / 2);
    }
}

void flush_messages(const run *r) {
    (void)r;
    for (int done = 0; !done;)
        if (redisBufferWrite(connection, &done) != REDIS_OK) fail("redis", connection->errstr);
}

void close_producer(const run *r) {
    (void)r;
    take_answers(0);
}

// --- Consumer --------------------------------------------------------------------------------------------------------

void open_consumer(const run *r) {
    open_connection(r);
    if (is_queue) return;
    redisReply *reply = redisCommand(connection, "PSUBSCRIBE *");
    if (reply == NULL) fail("PSUBSCRIBE", connection->errstr);
    freeReplyObject(reply);
}

static void take_reply(const redisReply *reply, tally *t) {
    take(t, number_in(reply->str, reply->len));
}

// Members and their scores in turn, or nothing.
static bool popped(tally *t, const char *command, size_t first) {
    redisReply *reply = redisCommand(connection, command);
    if (reply == NULL) fail(command, connection->errstr);
    if (reply->type == REDIS_REPLY_ERROR) fail(command, reply->str);
    bool is_any = reply->type == REDIS_REPLY_ARRAY && reply->elements > first;
    for (size_t i = first; is_any && i < reply->elements; i += 2) take_reply(reply->element[i], t);
    freeReplyObject(reply);
    return is_any;
}

bool receive(const run *r, int wait_ms, tally *t) {
    (void)r;
    if (is_queue) {
        char command[64], blocking[64];
        snprintf(command, sizeof command, "ZPOPMIN queue %d", POPPED_AT_ONCE);
        snprintf(blocking, sizeof blocking, "BZPOPMIN queue %.3f", wait_ms / 1e3);
        // The blocking one answers with the queue's name before them.
        return popped(t, command, 0) || popped(t, blocking, 1);
    }
    if (waits_ms != wait_ms) {
        redisSetTimeout(connection, (struct timeval){wait_ms / 1000, wait_ms % 1000 * 1000});
        waits_ms = wait_ms;
    }
    redisReply *reply = answer();
    if (reply == NULL) return false;
    if (reply->type == REDIS_REPLY_ARRAY && reply->elements == 4) take_reply(reply->element[3], t);
    freeReplyObject(reply);
    return true;
}
