// ZeroMQ's sockets for the load: queues that hold the window, and errors that end the process.
#pragma once
#include <zmq.h>

#include "run.h"

static inline void check(bool is_right, const char *what) {
    if (!is_right) fail(what, zmq_strerror(zmq_errno()));
}

static inline void set(void *socket, int option, int value) {
    check(zmq_setsockopt(socket, option, &value, sizeof value) == 0, "zmq_setsockopt");
}

// With BENCH_KEYS in the environment (a public key, its secret key, the server's public key) a socket speaks CURVE.
static inline void set_keys(void *socket) {
    const char *keys = getenv("BENCH_KEYS");
    if (keys == NULL) return;
    char own[41], secret[41], server[41];
    check(sscanf(keys, "%40s %40s %40s", own, secret, server) == 3, "BENCH_KEYS");
    check(zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, own, sizeof own) == 0, "ZMQ_CURVE_PUBLICKEY");
    check(zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, secret, sizeof secret) == 0, "ZMQ_CURVE_SECRETKEY");
    check(zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, server, sizeof server) == 0, "ZMQ_CURVE_SERVERKEY");
}

static inline void *opened(void *context, int type, int queue) {
    void *socket = zmq_socket(context, type);
    check(socket != NULL, "zmq_socket");
    set(socket, ZMQ_SNDHWM, queue);
    set(socket, ZMQ_RCVHWM, queue);
    set(socket, ZMQ_LINGER, PATIENCE_MS);
    set_keys(socket);
    return socket;
}

static inline void subscribe(void *socket, const char *topic) {
    check(zmq_setsockopt(socket, ZMQ_SUBSCRIBE, topic, strlen(topic)) == 0, topic);
}

// A producer's socket: a PUB that sees the subscription arrive, and that never drops.
static inline void *opened_producer(void *context, const char *ingress, int queue) {
    void *socket = opened(context, ZMQ_XPUB, queue);
    set(socket, ZMQ_XPUB_NODROP, 1);
    set(socket, ZMQ_RCVTIMEO, PATIENCE_MS);
    check(zmq_connect(socket, ingress) == 0, ingress);
    uint8_t subscription[64];
    check(zmq_recv(socket, subscription, sizeof subscription, 0) > 0, "no subscription came");
    return socket;
}

// The last frame of a message; false when none came within the socket's ZMQ_RCVTIMEO, or at once if it isn't to wait.
static inline bool received(void *socket, zmq_msg_t *frame, int flags) {
    do {
        if (zmq_msg_recv(frame, socket, flags) < 0) return false;
    } while (zmq_msg_more(frame));
    return true;
}
