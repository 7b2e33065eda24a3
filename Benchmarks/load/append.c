// The yardstick of a fleet: fenced appends to etcd, one in flight, with nothing around them. Each is the transaction that
// Fleet/Sources/EtcdLog makes: if the head is the one expected, put the next head and an entry, else get the head. Heads and
// entries have the sizes and the numbers of ours; nobody checks their checksums, which are 0.
//
// append ADDRESS:PORT SHARD SIZE COUNT [paced]
//
// The shard must not exist. SIZE is that of the commands of an entry. Prints
// `{"count": …, "seconds": …, "p50": …, "p99": …, "mb_s": …}`: the quantiles in µs, and the megabytes of commands a second.
// Paced, each append waits for a line on the standard input, and its µs are printed in answer to that.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "protobuf.h"
#include "run.h"

enum {
    HEAD_BYTES = 64,
    ENTRY_HEADER_BYTES = 48,
    GRPC_PREFIX_BYTES = 5,
    // What else a request has: keys, tags, sizes.
    MOST_OTHER_BYTES = 2048,
    MOST_BYTES = 1 << 20,
    MOST_SHARD_BYTES = 64,
    INDEX_DIGITS = 16,
    ANSWER_BYTES = 4096,
};

// --- Records ---------------------------------------------------------------------------------------------------------

static void put_big_endian(uint8_t *at, int size, uint64_t number) {
    for (int i = size - 1; i >= 0; i--, number >>= 8) at[i] = (uint8_t)number;
}

static void write_head(uint8_t *at, uint64_t index) {
    memset(at, 0, HEAD_BYTES);
    memcpy(at, "PBH1", 4);
    put_big_endian(at + 4, 4, 1);       // level
    put_big_endian(at + 8, 8, 1);       // epoch
    put_big_endian(at + 16, 8, index);
    memset(at + 24, 'o', 16);           // owner
    put_big_endian(at + 40, 8, 1);      // time
    put_big_endian(at + 48, 8, 1);      // horizon
}

static void write_entry_header(uint8_t *at, uint64_t index) {
    memset(at, 0, ENTRY_HEADER_BYTES);
    memcpy(at, "PBE1", 4);
    put_big_endian(at + 4, 4, 1);       // a batch
    put_big_endian(at + 8, 8, 1);       // epoch
    put_big_endian(at + 16, 8, index);
    put_big_endian(at + 24, 8, 1);      // time
    put_big_endian(at + 32, 8, 1);      // horizon
}

// --- Requests --------------------------------------------------------------------------------------------------------

// A TxnRequest in its gRPC frame, made once, with the places in which one append differs from the next.
typedef struct {
    uint8_t bytes[MOST_BYTES + MOST_OTHER_BYTES];
    size_t size;
    uint8_t *old_head, *new_head, *entry_digits, *entry;
} transaction;

typedef struct {
    char text[MOST_SHARD_BYTES + 64];
    size_t size;
} key;

static key key_of(const char *shard, const char *name) {
    key k;
    k.size = (size_t)snprintf(k.text, sizeof k.text, "/popup-broker/v1/%s/live/%s", shard, name);
    return k;
}

// All numbers of fields are below 16: a tag is one byte.
static size_t field_size(size_t size) {
    uint8_t varint[10];
    return 1 + put_varint(varint, size) + size;
}

static void begin_message(transaction *t, unsigned field, size_t size) {
    t->size += put_varint(t->bytes + t->size, field << 3 | 2);
    t->size += put_varint(t->bytes + t->size, size);
}

// Returns where the field's bytes stand; without any given, they are left to be written.
static uint8_t *add_bytes(transaction *t, unsigned field, const void *bytes, size_t size) {
    begin_message(t, field, size);
    uint8_t *place = t->bytes + t->size;
    if (bytes != NULL) memcpy(place, bytes, size);
    t->size += size;
    return place;
}

static void add_number(transaction *t, unsigned field, uint64_t value) {
    t->size += put_number(t->bytes + t->size, field, value);
}

// `compare`: the value of a key is this one. Returns the place of the value.
static uint8_t *add_comparison(transaction *t, const key *k, size_t value_size) {
    begin_message(t, 1, 2 + field_size(k->size) + field_size(value_size));
    add_number(t, 2, 3);  // target: VALUE
    add_bytes(t, 3, k->text, k->size);
    return add_bytes(t, 7, NULL, value_size);
}

// `compare`: the key does not exist.
static void add_absence(transaction *t, const key *k) {
    begin_message(t, 1, 2 + field_size(k->size) + 2);
    add_number(t, 2, 1);  // target: CREATE
    add_bytes(t, 3, k->text, k->size);
    add_number(t, 5, 0);
}

// `success`: puts a value, whose place it returns. The digits of an entry's index are the last ones of its key.
static uint8_t *add_put(transaction *t, const key *k, size_t value_size, uint8_t **digits) {
    size_t put = field_size(k->size) + field_size(value_size);
    begin_message(t, 2, field_size(put));
    begin_message(t, 2, put);
    uint8_t *name = add_bytes(t, 1, k->text, k->size);
    if (digits != NULL) *digits = name + k->size - INDEX_DIGITS;
    return add_bytes(t, 2, NULL, value_size);
}

// `failure`: gets a value.
static void add_get(transaction *t, const key *k) {
    size_t range = field_size(k->size);
    begin_message(t, 3, field_size(range));
    begin_message(t, 1, range);
    add_bytes(t, 1, k->text, k->size);
}

static void begin(transaction *t) {
    t->size = GRPC_PREFIX_BYTES;
}

static void end(transaction *t) {
    t->bytes[0] = 0;  // not compressed
    put_big_endian(t->bytes + 1, 4, t->size - GRPC_PREFIX_BYTES);
}

static void make_creation(transaction *t, const key *head) {
    begin(t);
    add_absence(t, head);
    write_head(add_put(t, head, HEAD_BYTES, NULL), 0);
    add_get(t, head);
    end(t);
}

static void make_append(transaction *t, const char *shard, const key *head, size_t size) {
    key entry = key_of(shard, "log/0000000000000000");
    begin(t);
    t->old_head = add_comparison(t, head, HEAD_BYTES);
    t->new_head = add_put(t, head, HEAD_BYTES, NULL);
    t->entry = add_put(t, &entry, ENTRY_HEADER_BYTES + size, &t->entry_digits);
    memset(t->entry + ENTRY_HEADER_BYTES, 7, size);
    add_get(t, head);
    end(t);
}

static void set_index(transaction *t, uint64_t index) {
    static const char digits[] = "0123456789abcdef";
    write_head(t->old_head, index - 1);
    write_head(t->new_head, index);
    write_entry_header(t->entry, index);
    for (int i = 0; i < INDEX_DIGITS; i++) t->entry_digits[i] = (uint8_t)digits[index >> 4 * (INDEX_DIGITS - 1 - i) & 15];
}

// --- Connection ------------------------------------------------------------------------------------------------------

typedef struct {
    int socket;
    const char *address;
    nghttp2_session *session;
    // The request under way, how much of it has been taken, and what has come of the answer.
    const transaction *request;
    size_t sent;
    uint8_t answer[ANSWER_BYTES];
    size_t received;
    char status[16], message[256];
    bool is_answered;
} connection;

static ssize_t on_request_bytes(nghttp2_session *session, int32_t stream, uint8_t *buffer, size_t size, uint32_t *flags,
                                nghttp2_data_source *source, void *user) {
    (void)session, (void)stream, (void)user;
    connection *c = source->ptr;
    size_t left = c->request->size - c->sent;
    if (size >= left) {
        size = left;
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    }
    memcpy(buffer, c->request->bytes + c->sent, size);
    c->sent += size;
    return (ssize_t)size;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_size,
                     const uint8_t *value, size_t value_size, uint8_t flags, void *user) {
    (void)session, (void)frame, (void)name_size, (void)value_size, (void)flags;
    connection *c = user;
    // nghttp2 ends both with a zero byte.
    if (strcmp((const char *)name, "grpc-status") == 0) snprintf(c->status, sizeof c->status, "%s", value);
    if (strcmp((const char *)name, "grpc-message") == 0) snprintf(c->message, sizeof c->message, "%s", value);
    return 0;
}

static int on_answer_bytes(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t size,
                           void *user) {
    (void)session, (void)flags, (void)stream;
    connection *c = user;
    if (size > sizeof c->answer - c->received) fail("etcd", "its answer is too long");
    memcpy(c->answer + c->received, bytes, size);
    c->received += size;
    return 0;
}

static int on_stream_close(nghttp2_session *session, int32_t stream, uint32_t code, void *user) {
    (void)session, (void)stream;
    if (code != NGHTTP2_NO_ERROR) fail("etcd", nghttp2_http2_strerror(code));
    ((connection *)user)->is_answered = true;
    return 0;
}

// Sends all that the session has to say, as one piece: a request has many frames.
static void flush(connection *c) {
    static uint8_t piece[1 << 18];
    const uint8_t *bytes;
    size_t gathered = 0;
    do {
        ssize_t size = nghttp2_session_mem_send(c->session, &bytes);
        if (size < 0) fail("HTTP/2", nghttp2_strerror((int)size));
        if (size > 0 && gathered + (size_t)size <= sizeof piece) {
            memcpy(piece + gathered, bytes, (size_t)size);
            gathered += (size_t)size;
            continue;
        }
        for (size_t sent = 0; sent < gathered;) {
            ssize_t count = send(c->socket, piece + sent, gathered - sent, MSG_NOSIGNAL);
            if (count <= 0) fail("send", strerror(errno));
            sent += (size_t)count;
        }
        gathered = (size_t)size;
        if (size > 0) memcpy(piece, bytes, (size_t)size);
    } while (gathered > 0);
}

static void take(connection *c) {
    static uint8_t bytes[1 << 16];
    ssize_t size = recv(c->socket, bytes, sizeof bytes, 0);
    if (size == 0) fail("etcd", "it ended the connection");
    if (size < 0) fail("etcd", errno == EAGAIN ? "it did not answer" : strerror(errno));
    ssize_t used = nghttp2_session_mem_recv(c->session, bytes, (size_t)size);
    if (used < 0) fail("HTTP/2", nghttp2_strerror((int)used));
}

static void open_connection(connection *c, const char *address) {
    char host[64];
    unsigned port;
    if (sscanf(address, "%63[0-9.]:%u", host, &port) != 2 || port > UINT16_MAX) fail(address, "is not ADDRESS:PORT");
    struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    if (inet_pton(AF_INET, host, &peer.sin_addr) != 1) fail(address, "is not ADDRESS:PORT");
    c->address = address;
    c->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (c->socket < 0 || connect(c->socket, (struct sockaddr *)&peer, sizeof peer) != 0) fail(address, strerror(errno));
    int on = 1;
    setsockopt(c->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct timeval patience = {.tv_sec = PATIENCE_MS / 1000};
    setsockopt(c->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);

    nghttp2_session_callbacks *callbacks;
    if (nghttp2_session_callbacks_new(&callbacks) != 0) fail("HTTP/2", "no memory");
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_answer_bytes);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
    if (nghttp2_session_client_new(&c->session, callbacks, c) != 0) fail("HTTP/2", "no memory");
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(c->session, NGHTTP2_FLAG_NONE, NULL, 0);
}

static nghttp2_nv header(const char *name, const char *value) {
    return (nghttp2_nv){(uint8_t *)name, (uint8_t *)value, strlen(name), strlen(value), NGHTTP2_NV_FLAG_NONE};
}

static bool is_carried_out(const connection *c) {
    if (c->received < GRPC_PREFIX_BYTES) return false;
    reader answer = {c->answer + GRPC_PREFIX_BYTES, c->answer + c->received};
    for (field f; next_field(&answer, &f);)
        if (f.field == 2) return f.number == 1;
    return false;
}

// Returns when the transaction is carried out. Any other outcome ends the process.
static void commit(connection *c, const transaction *t) {
    c->request = t;
    c->sent = c->received = 0;
    c->is_answered = false;
    c->status[0] = c->message[0] = 0;
    const nghttp2_nv headers[] = {
        header(":method", "POST"), header(":scheme", "http"), header(":path", "/etcdserverpb.KV/Txn"),
        header(":authority", c->address), header("content-type", "application/grpc"), header("te", "trailers"),
        header("grpc-timeout", "2000m"), header("hasleader", "true"),
    };
    nghttp2_data_provider body = {.source.ptr = c, .read_callback = on_request_bytes};
    int32_t stream = nghttp2_submit_request(c->session, NULL, headers, sizeof headers / sizeof *headers, &body, NULL);
    if (stream < 0) fail("HTTP/2", nghttp2_strerror(stream));
    while (true) {
        flush(c);
        if (c->is_answered) break;
        take(c);
    }
    if (strcmp(c->status, "0") != 0) fail("etcd", c->message[0] != 0 ? c->message : "it gave no status");
    if (!is_carried_out(c)) fail("etcd", "the head is another, or the shard exists");
}

// --- Appends ---------------------------------------------------------------------------------------------------------

static int64_t append(connection *c, transaction *t, uint64_t index) {
    int64_t start = now();
    set_index(t, index);
    commit(c, t);
    return now() - start;
}

static void append_at_each_line(connection *c, transaction *t, uint64_t count) {
    char line[16];
    for (uint64_t index = 1; index <= count && fgets(line, sizeof line, stdin) != NULL; index++) {
        printf("%.1f\n", (double)append(c, t, index) / 1e3);
        fflush(stdout);
    }
}

static void append_all(connection *c, transaction *t, size_t size, uint64_t count) {
    static histogram times;
    int64_t start = now();
    for (uint64_t index = 1; index <= count; index++) record(&times, append(c, t, index));
    double seconds = (double)(now() - start) / 1e9;
    printf("{\"count\": %llu, \"seconds\": %.6f, \"p50\": %.1f, \"p99\": %.1f, \"mb_s\": %.3f}\n", (unsigned long long)count,
           seconds, (double)quantile(&times, 0.5) / 1e3, (double)quantile(&times, 0.99) / 1e3,
           (double)count * (double)size / seconds / 1e6);
}

static uint64_t number_of(const char *text, uint64_t most) {
    char *rest;
    errno = 0;
    unsigned long long number = strtoull(text, &rest, 10);
    if (errno != 0 || rest == text || *rest != 0 || *text == '-' || number < 1 || number > most)
        fail(text, "is no number that can be used here");
    return number;
}

int main(int count, char **arguments) {
    bool is_paced = count == 6 && strcmp(arguments[5], "paced") == 0;
    if (count != 5 && !is_paced) {
        fprintf(stderr, "usage: %s ADDRESS:PORT SHARD SIZE COUNT [paced]\n", arguments[0]);
        return 64;
    }
    const char *shard = arguments[2];
    if (strlen(shard) > MOST_SHARD_BYTES) fail(shard, "is too long");
    size_t size = number_of(arguments[3], MOST_BYTES);
    uint64_t appends = number_of(arguments[4], UINT32_MAX);

    static connection c;
    static transaction t;
    open_connection(&c, arguments[1]);
    key head = key_of(shard, "head");
    make_creation(&t, &head);
    commit(&c, &t);
    make_append(&t, shard, &head, size);
    if (is_paced) append_at_each_line(&c, &t, appends);
    else append_all(&c, &t, size, appends);
    return 0;
}
