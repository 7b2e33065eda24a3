// The yardstick: libzmq's own proxy between a SUB and a PUB, both bound, with nothing in between.
//
// relay INGRESS EGRESS [split]; prints `ready ingress=… egress=…` with the real ports and runs until it is killed. With
// `split`, it sends each frame as two, the topic and the rest: as many frames in and out as a broker has. With
// BENCH_SERVER_KEY in its environment, a secret key, both sockets speak CURVE, with whoever has a key.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

static void check(int result, const char *what) {
    if (result == 0) return;
    fprintf(stderr, "relay: %s: %s\n", what, zmq_strerror(zmq_errno()));
    exit(69);
}

static void *bound(void *context, int type, const char *endpoint, char *real, size_t size) {
    void *socket = zmq_socket(context, type);
    int high_water_mark = 10000;
    check(zmq_setsockopt(socket, ZMQ_RCVHWM, &high_water_mark, sizeof high_water_mark), "ZMQ_RCVHWM");
    check(zmq_setsockopt(socket, ZMQ_SNDHWM, &high_water_mark, sizeof high_water_mark), "ZMQ_SNDHWM");
    const char *key = getenv("BENCH_SERVER_KEY");
    if (key != NULL) {
        int is_server = 1;
        check(zmq_setsockopt(socket, ZMQ_CURVE_SERVER, &is_server, sizeof is_server), "ZMQ_CURVE_SERVER");
        check(zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, key, strlen(key) + 1), "ZMQ_CURVE_SECRETKEY");
    }
    if (type == ZMQ_SUB) check(zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0), "ZMQ_SUBSCRIBE");
    check(zmq_bind(socket, endpoint), endpoint);
    check(zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, real, &size), "ZMQ_LAST_ENDPOINT");
    return socket;
}

enum { TOPIC_BYTES = 16 };

static void split(void *in, void *out) {
    zmq_msg_t frame;
    zmq_msg_init(&frame);
    while (zmq_msg_recv(&frame, in, 0) >= 0) {
        const char *bytes = zmq_msg_data(&frame);
        size_t size = zmq_msg_size(&frame);
        if (size < TOPIC_BYTES) continue;
        check(zmq_send(out, bytes, TOPIC_BYTES, ZMQ_SNDMORE) < 0, "zmq_send");
        check(zmq_send(out, bytes + TOPIC_BYTES, size - TOPIC_BYTES, 0) < 0, "zmq_send");
    }
}

int main(int count, char **arguments) {
    bool splits = count == 4 && strcmp(arguments[3], "split") == 0;
    if (count != 3 && !splits) {
        fprintf(stderr, "relay: give two endpoints, such as tcp://127.0.0.1:* tcp://127.0.0.1:*, and `split` or nothing\n");
        return 64;
    }
    char ingress[256], egress[256];
    void *context = zmq_ctx_new();
    void *in = bound(context, ZMQ_SUB, arguments[1], ingress, sizeof ingress);
    void *out = bound(context, ZMQ_PUB, arguments[2], egress, sizeof egress);
    printf("ready ingress=%s egress=%s\n", ingress, egress);
    fflush(stdout);
    if (splits) {
        // It is faster than the proxy: it waits for a consumer that is behind.
        int waits = 1;
        check(zmq_setsockopt(out, ZMQ_XPUB_NODROP, &waits, sizeof waits), "ZMQ_XPUB_NODROP");
        split(in, out);
    } else {
        zmq_proxy(in, out, NULL);
    }
    return 0;
}
