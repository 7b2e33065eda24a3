// The yardstick: libzmq's own proxy between a SUB and a PUB, both bound, with nothing in between.
//
// relay INGRESS EGRESS; prints `ready ingress=… egress=…` with the real ports and runs until it is killed.
#include <stdio.h>
#include <stdlib.h>
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
    if (type == ZMQ_SUB) check(zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0), "ZMQ_SUBSCRIBE");
    check(zmq_bind(socket, endpoint), endpoint);
    check(zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, real, &size), "ZMQ_LAST_ENDPOINT");
    return socket;
}

int main(int count, char **arguments) {
    if (count != 3) {
        fprintf(stderr, "relay: give two endpoints, such as tcp://127.0.0.1:* tcp://127.0.0.1:*\n");
        return 64;
    }
    char ingress[256], egress[256];
    void *context = zmq_ctx_new();
    void *in = bound(context, ZMQ_SUB, arguments[1], ingress, sizeof ingress);
    void *out = bound(context, ZMQ_PUB, arguments[2], egress, sizeof egress);
    printf("ready ingress=%s egress=%s\n", ingress, egress);
    fflush(stdout);
    zmq_proxy(in, out, NULL);
    return 0;
}
