// Sends frames at full speed to a broker's ingress, as any ZeroMQ client could.
//
//     flood ENDPOINT CORPUS SECONDS COUNT
//
// CORPUS is a file of frames, each a 32-bit length in the machine's order and its bytes; they are sent in turn. In a
// frame, ten `+` stand for the next number in ten digits, ten `#` for the same number again. It ends after SECONDS, or
// after COUNT frames (0: no count), and prints how many frames it sent. With a count it waits until all are delivered.
// With FLOOD_KEYS in its environment (its public key, its secret key, the server's) it speaks CURVE.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zmq.h>

enum { DIGITS = 10, PATIENCE_MS = 5000, WAIT_MS = 100, MOST_FRAMES = 100000 };

typedef struct {
    uint8_t *bytes;
    uint32_t length;
    uint32_t *places;  // of the marks, in order
    uint32_t marks;
} frame;

static frame frames[MOST_FRAMES];
static uint32_t frame_count;
static uint64_t number;

static void check(int is_right, const char *what) {
    if (is_right) return;
    fprintf(stderr, "flood: %s: %s\n", what, zmq_strerror(zmq_errno()));
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int is_mark(const uint8_t *at, char mark) {
    for (int i = 0; i < DIGITS; i++) {
        if (at[i] != (uint8_t)mark) return 0;
    }
    return 1;
}

static void find_marks(frame *f) {
    f->places = malloc((f->length / DIGITS + 1) * sizeof *f->places);
    check(f->places != NULL, "malloc");
    for (uint32_t at = 0; at + DIGITS <= f->length;) {
        if (is_mark(f->bytes + at, '+') || is_mark(f->bytes + at, '#')) {
            f->places[f->marks++] = at;
            at += DIGITS;
        } else {
            at += 1;
        }
    }
}

static void load(const char *path) {
    FILE *file = fopen(path, "rb");
    check(file != NULL, path);
    uint32_t length;
    while (frame_count < MOST_FRAMES && fread(&length, sizeof length, 1, file) == 1) {
        frame *f = &frames[frame_count++];
        f->length = length;
        f->bytes = malloc(length + 1);
        check(f->bytes != NULL && fread(f->bytes, 1, length, file) == length, path);
        find_marks(f);
    }
    fclose(file);
    check(frame_count > 0, path);
}

static void write_number(uint8_t *at) {
    uint64_t rest = number;
    for (int i = DIGITS; i-- > 0; rest /= 10) at[i] = (uint8_t)('0' + rest % 10);
}

static int send_frame(void *socket, const frame *f) {
    zmq_msg_t message;
    check(zmq_msg_init_size(&message, f->length) == 0, "zmq_msg_init_size");
    uint8_t *bytes = zmq_msg_data(&message);
    memcpy(bytes, f->bytes, f->length);
    uint64_t before = number;
    for (uint32_t i = 0; i < f->marks; i++) {
        number += f->bytes[f->places[i]] == '+';
        write_number(bytes + f->places[i]);
    }
    if (zmq_msg_send(&message, socket, 0) >= 0) return 1;
    check(zmq_errno() == EAGAIN, "zmq_msg_send");
    zmq_msg_close(&message);
    number = before;
    return 0;
}

static void set_keys(void *socket, const char *keys) {
    char own[41], secret[41], server[41];
    check(sscanf(keys, "%40s %40s %40s", own, secret, server) == 3, "FLOOD_KEYS");
    check(zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, own, sizeof own) == 0, "ZMQ_CURVE_PUBLICKEY");
    check(zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, secret, sizeof secret) == 0, "ZMQ_CURVE_SECRETKEY");
    check(zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, server, sizeof server) == 0, "ZMQ_CURVE_SERVERKEY");
}

int main(int count_of_arguments, char **arguments) {
    check(count_of_arguments == 5, "flood ENDPOINT CORPUS SECONDS COUNT");
    load(arguments[2]);
    double seconds = atof(arguments[3]);
    uint64_t most = strtoull(arguments[4], NULL, 10), sent = 0;

    void *context = zmq_ctx_new();
    void *socket = zmq_socket(context, ZMQ_XPUB);
    check(socket != NULL, "zmq_socket");
    int waits = 1, patience = PATIENCE_MS, turn = WAIT_MS, linger = most > 0 ? (int)(seconds * 1000) : 0;
    check(zmq_setsockopt(socket, ZMQ_XPUB_NODROP, &waits, sizeof waits) == 0, "ZMQ_XPUB_NODROP");
    check(zmq_setsockopt(socket, ZMQ_RCVTIMEO, &patience, sizeof patience) == 0, "ZMQ_RCVTIMEO");
    check(zmq_setsockopt(socket, ZMQ_SNDTIMEO, &turn, sizeof turn) == 0, "ZMQ_SNDTIMEO");
    check(zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger) == 0, "ZMQ_LINGER");
    if (getenv("FLOOD_KEYS") != NULL) set_keys(socket, getenv("FLOOD_KEYS"));
    check(zmq_connect(socket, arguments[1]) == 0, arguments[1]);
    uint8_t subscription[64];
    check(zmq_recv(socket, subscription, sizeof subscription, 0) > 0, "no subscription came");

    double start = now(), end = start + seconds;
    while (now() < end && (most == 0 || sent < most)) sent += (uint64_t)send_frame(socket, &frames[sent % frame_count]);
    double took = now() - start;
    zmq_close(socket);
    zmq_ctx_term(context);
    printf("%llu %.3f\n", (unsigned long long)sent, took);
    return 0;
}
