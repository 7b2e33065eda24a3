// Opens streams of server-sent events, publishes messages, and finds when each reader has each.
//
// streams HOST:PORT PATH HEADER PUBLISH [BYTES] reads commands and answers each with a line of `name=value`. PATH has `%07u`
// for the number of a group; HEADER is one more line of each request, or empty. PUBLISH says where messages go:
//   ENDPOINT              a broker's ingress: a `show` with BYTES bytes of text each
//   HOST:PORT/PATH        a POST of BYTES bytes each, with `%07u` for the number of the group
//   grip:HOST:PORT/PATH   the same in the words of pushpin, for its channel `test`
//
//   open count=N [groups=N] [group=N] [receive=BYTES]   opens N more, in so many groups from one on; `receive`: the size of
//                                             their sockets' buffers
//   single count=N                            N messages to all, each when all have the one before it
//   sustained seconds=N window=N              as many as come through, N of them under way
//   paced rate=N seconds=N [groups=N] [group=N] [close=N]   at a rate, one group after the other; in the middle,
//                                             the last N streams, which are in other groups, are closed
//   stall count=N                             the first N read no more
//   end
//
// Delays are in ms, from the moment when a message was to be sent.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "commands.h"
#include "sockets.h"

enum {
    MOST_STREAMS = 100000,
    MOST_MESSAGES = 4000000,
    CONNECTING = 64,          // streams that are being opened at the same time
    MARK_BYTES = 26,          // `~`, a message's number in 8 digits, its time in 16, `~`
    EVENTS = 512,
    OPEN_PATIENCE_MS = 60000,
};

typedef enum { CONNECT, HEAD, BODY, GONE, STALLED } phase;

typedef struct {
    int socket;
    uint8_t phase;
    uint8_t matched;          // bytes of a mark, or of the end of a head
    uint32_t group;
    uint32_t last;            // the newest message
    uint64_t digits[2];
} stream;

static struct sockaddr_in server;
static char path[512], header[512];
static stream *streams;
static uint32_t stream_count, waiting, refused, lost_streams;
static int queue;

// What has come of the messages from `first` on.
static uint32_t number, first, *reached;
static int64_t *sent_at;
static uint64_t deliveries, bytes_read;
static histogram *delays;
static int64_t *single_delays;
static uint32_t single_count;

// --- Publishing ------------------------------------------------------------------------------------------------------

static const uint64_t PUBLISHER = UINT64_C(1) << 63;  // in an event's data, before its socket

static void *producer;
static uint8_t *show;
static size_t show_bytes, show_id, show_group;
static int post = -1;
static bool is_grip;
static char post_path[256], post_host[64];
static size_t post_bytes = 300;

static struct sockaddr_in address_of(const char *text) {
    char host[64];
    unsigned port;
    struct sockaddr_in address = {.sin_family = AF_INET};
    if (sscanf(text, "%63[^:/]:%u", host, &port) != 2 || inet_pton(AF_INET, host, &address.sin_addr) != 1)
        fail(text, "is not ADDRESS:PORT");
    address.sin_port = htons((uint16_t)port);
    return address;
}

// As make_show, with a text of any length, and other ids: the load of the broker may run beside it.
static void make_long_show(void) {
    uint8_t *popup = malloc(post_bytes + 100), *text = malloc(post_bytes);
    show = malloc(post_bytes + 100);
    memset(text, 'x', post_bytes);
    char id[2 + ID_DIGITS] = "l000000000", group[3 + GROUP_DIGITS] = "b/0000000";
    size_t size = put_bytes(popup, 1, id, 1 + ID_DIGITS);
    size += put_bytes(popup + size, 2, group, 2 + GROUP_DIGITS);
    size += put_number(popup + size, 3, 5);
    size += put_number(popup + size, 4, HOUR_MS);
    size += put_bytes(popup + size, 11, text, post_bytes);
    show_bytes = put_bytes(show, 3, popup, size);
    size_t begin = show_bytes - size;
    show_id = begin + 3;
    show_group = show_id + ID_DIGITS + 4;
    free(popup);
    free(text);
}

static void write_mark(char *at, uint32_t number, int64_t time) {
    char mark[MARK_BYTES + 1];
    snprintf(mark, sizeof mark, "~%08x%016llx~", number, (unsigned long long)time);
    memcpy(at, mark, MARK_BYTES);
}

static void connect_publisher(void) {
    struct sockaddr_in address = address_of(post_host);
    post = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int on = 1;
    if (connect(post, (struct sockaddr *)&address, sizeof address) != 0) fail(post_host, strerror(errno));
    setsockopt(post, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    fcntl(post, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = PUBLISHER | (uint64_t)post};
    epoll_ctl(queue, EPOLL_CTL_ADD, post, &event);
}

static void open_publisher(const char *where) {
    if (strstr(where, "://") != NULL) {
        producer = opened_producer(zmq_ctx_new(), where, QUEUE);
        make_long_show();
        return;
    }
    if (strncmp(where, "grip:", 5) == 0) {
        is_grip = true;
        where += 5;
    }
    if (sscanf(where, "%63[^/]%255s", post_host, post_path) != 2) fail(where, "is not ADDRESS:PORT/PATH");
    if (!is_grip) connect_publisher();
}

// The time of a message counts from when it was to be sent.
static void publish(uint32_t group, int64_t time) {
    if (number >= MOST_MESSAGES) fail("messages", "there are too many");
    uint32_t message = number++;
    sent_at[message] = time;
    reached[message] = 0;
    if (producer != NULL) {
        put_digits(show + show_id, ID_DIGITS, message);
        put_digits(show + show_group, GROUP_DIGITS, group);
        write_mark((char *)show + show_bytes - post_bytes, message, time);
        check(zmq_send(producer, show, show_bytes, 0) >= 0, "zmq_send");
        return;
    }
    char body[8192], request[9216], target[300];
    size_t size = post_bytes;
    int begin = is_grip ? snprintf(body, sizeof body,
        "{\"items\":[{\"channel\":\"test\",\"formats\":{\"http-stream\":{\"content\":\"data: ") : 0;
    memset(body + begin, 'x', size);
    write_mark(body + begin, message, time);
    size += (size_t)begin;
    if (is_grip) size += (size_t)sprintf(body + size, "\\n\\n\"}}}]}");
    snprintf(target, sizeof target, post_path, group);
    int head = snprintf(request, sizeof request,
        "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n", target, post_host,
        is_grip ? "application/json" : "text/plain", size);
    memcpy(request + head, body, size);
    // pushpin closes the connection after each message.
    if (is_grip || post < 0) connect_publisher();
    // The window and the rates keep far within what the socket holds.
    if (send(post, request, (size_t)head + size, MSG_NOSIGNAL) != head + (ssize_t)size) fail(post_host, "takes no message");
}

// --- Reading ---------------------------------------------------------------------------------------------------------

static void leave(stream *s) {
    if (s->phase < BODY) {
        refused++;
        waiting--;
    } else {
        lost_streams++;
    }
    close(s->socket);
    s->phase = GONE;
}

static void take(stream *s, uint32_t message, int64_t time, int64_t at) {
    // A state is told again to a stream that is opened later.
    if (message < first || message >= number || message + 1 <= s->last) return;
    if (sent_at[message] != time) fail("mark", "it was changed on the way");
    uint32_t from = s->last > first ? s->last : first;
    for (uint32_t i = from; i <= message; i++) reached[i]++;
    s->last = message + 1;
    deliveries++;
    record(delays, (at - time) / 1000);
    // One of an earlier message, which was given up, is none of this one.
    if (single_delays != NULL && message == number - 1 && single_count < stream_count) single_delays[single_count++] = at - time;
}

static int digit(uint8_t c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void read_body(stream *s, const uint8_t *at, const uint8_t *end, int64_t time) {
    while (at < end) {
        if (s->matched == 0) {
            at = memchr(at, '~', (size_t)(end - at));
            if (at == NULL) return;
            at++;
            s->matched = 1;
            s->digits[0] = s->digits[1] = 0;
            continue;
        }
        uint8_t c = *at++;
        if (s->matched == MARK_BYTES - 1) {
            if (c == '~') take(s, (uint32_t)s->digits[0], (int64_t)s->digits[1], time);
            s->matched = 0;
            continue;
        }
        int value = digit(c);
        if (value < 0) {
            s->matched = c == '~';
            s->digits[0] = s->digits[1] = 0;
            continue;
        }
        uint64_t *digits = &s->digits[s->matched > 8];
        *digits = *digits << 4 | (uint64_t)value;
        s->matched++;
    }
}

// Returns where the body begins; NULL if the head goes on.
static const uint8_t *read_head(stream *s, const uint8_t *at, const uint8_t *end) {
    static const char empty[] = "\r\n\r\n";
    for (; at < end; at++) {
        s->matched = *at == (uint8_t)empty[s->matched] ? s->matched + 1 : *at == '\r';
        if (s->matched < 4) continue;
        s->matched = 0;
        return at + 1;
    }
    return NULL;
}

static void read_stream(stream *s) {
    static uint8_t bytes[65536];
    ssize_t size = recv(s->socket, bytes, sizeof bytes, 0);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (size <= 0) {
        leave(s);
        return;
    }
    bytes_read += (uint64_t)size;
    const uint8_t *at = bytes, *end = bytes + size;
    if (s->phase == HEAD) {
        if (s->matched == 0 && size >= 12 && memcmp(bytes, "HTTP/1.1 200", 12) != 0 && memcmp(bytes, "HTTP", 4) == 0) {
            leave(s);
            return;
        }
        at = read_head(s, at, end);
        if (at == NULL) return;
        s->phase = BODY;
        waiting--;
    }
    read_body(s, at, end, now());
}

static void send_request(stream *s) {
    char target[600], request[1200];
    snprintf(target, sizeof target, path, s->group);
    int size = snprintf(request, sizeof request,
        "GET %s HTTP/1.1\r\nHost: %s:%u\r\nAccept: text/event-stream\r\n%s%s\r\n", target, inet_ntoa(server.sin_addr),
        ntohs(server.sin_port), header, *header == 0 ? "" : "\r\n");
    int error = 0;
    socklen_t length = sizeof error;
    getsockopt(s->socket, SOL_SOCKET, SO_ERROR, &error, &length);
    if (error != 0 || send(s->socket, request, (size_t)size, MSG_NOSIGNAL) != size) {
        leave(s);
        return;
    }
    s->phase = HEAD;
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = (uint64_t)(s - streams)};
    epoll_ctl(queue, EPOLL_CTL_MOD, s->socket, &event);
}

static void look(int64_t until) {
    struct epoll_event events[EVENTS];
    int64_t left = until - now();
    struct timespec wait = {left < 0 ? 0 : left / 1000000000, left < 0 ? 0 : left % 1000000000};
    int count = epoll_pwait2(queue, events, EVENTS, &wait, NULL);
    for (int i = 0; i < count; i++) {
        if (events[i].data.u64 & PUBLISHER) {
            char answers[4096];
            int from = (int)(uint32_t)events[i].data.u64;
            if (recv(from, answers, sizeof answers, 0) > 0 && !is_grip) continue;
            close(from);
            if (from == post) post = -1;
            continue;
        }
        stream *s = &streams[events[i].data.u32];
        if (s->phase == CONNECT) send_request(s);
        else if (s->phase == HEAD || s->phase == BODY) read_stream(s);
    }
}

// --- Commands --------------------------------------------------------------------------------------------------------

static double ms(int64_t ns) {
    return (double)ns / 1e6;
}

static uint32_t readers(uint32_t from, uint32_t groups) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < stream_count; i++) count += streams[i].phase == BODY && streams[i].group - from < groups;
    return count;
}

static void begin(void) {
    first = number;
    deliveries = bytes_read = 0;
    memset(delays, 0, sizeof *delays);
}

static void open_streams(uint32_t count, uint32_t groups, uint32_t from, int receive) {
    int64_t start = now(), give_up = start + OPEN_PATIENCE_MS * INT64_C(1000000);
    uint32_t goal = stream_count + count;
    if (goal > MOST_STREAMS) fail("open", "there are too many streams");
    refused = waiting = 0;
    while ((stream_count < goal || waiting > 0) && now() < give_up) {
        while (stream_count < goal && waiting < CONNECTING) {
            stream *s = &streams[stream_count];
            *s = (stream){.group = from + stream_count % groups};
            s->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
            if (s->socket < 0) fail("socket", strerror(errno));
            int on = 1;
            setsockopt(s->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            if (receive > 0) setsockopt(s->socket, SOL_SOCKET, SO_RCVBUF, &receive, sizeof receive);
            waiting++;
            struct epoll_event event = {.events = EPOLLOUT, .data.u64 = stream_count++};
            bool fails = connect(s->socket, (struct sockaddr *)&server, sizeof server) != 0 && errno != EINPROGRESS;
            if (fails) leave(s);
            else epoll_ctl(queue, EPOLL_CTL_ADD, s->socket, &event);
        }
        look(now() + 10000000);
    }
    printf("opened=%u refused=%u seconds=%.3f\n", count - refused - waiting, refused + waiting, (double)(now() - start) / 1e9);
}

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static double median(int64_t *values, uint32_t count) {
    qsort(values, count, sizeof *values, by_value);
    return count == 0 ? 0 : ms(values[count / 2]);
}

static void send_singly(uint32_t count) {
    enum { KINDS_OF_DELAY = 4, MOST = 1000 };
    static int64_t found[KINDS_OF_DELAY][MOST];
    static const double shares[KINDS_OF_DELAY] = {0, 0.5, 0.99, 1};
    if (count > MOST) fail("single", "there are too many messages");
    uint32_t expected = readers(0, 1), missing = 0;
    single_delays = calloc(stream_count, sizeof *single_delays);
    begin();
    for (uint32_t i = 0; i < count; i++) {
        single_count = 0;
        int64_t start = now();
        uint32_t message = number;
        publish(0, start);
        while (reached[message] < expected && now() < start + 5000000000) look(start + 5000000000);
        missing += expected - reached[message];
        if (single_count > 0) {
            qsort(single_delays, single_count, sizeof *single_delays, by_value);
            for (int kind = 0; kind < KINDS_OF_DELAY; kind++)
                found[kind][i] = single_delays[(uint32_t)(shares[kind] * (single_count - 1))];
        }
        for (int64_t pause = now() + 100000000; now() < pause;) look(pause);
    }
    printf("first=%.3f median=%.3f", median(found[0], count), median(found[1], count));
    printf(" p99=%.3f last=%.3f missing=%u bytes=%.0f\n", median(found[2], count), median(found[3], count), missing,
           deliveries == 0 ? 0 : (double)bytes_read / (double)deliveries);
    free(single_delays);
    single_delays = NULL;
}

static void send_sustained(double seconds, uint32_t window) {
    uint32_t expected = readers(0, 1);
    begin();
    int64_t start = now(), end = start + (int64_t)(seconds * 1e9), give_up = end + 10000000000;
    uint32_t oldest = first;
    while (now() < end) {
        while (oldest < number && reached[oldest] >= expected) oldest++;
        while (number - oldest < window) publish(0, now());
        look(end);
    }
    uint64_t counted = deliveries;
    double took = (double)(now() - start) / 1e9;
    while (oldest < number && now() < give_up) {
        while (oldest < number && reached[oldest] >= expected) oldest++;
        look(now() + 10000000);
    }
    printf("rate=%.0f messages=%u conflated=%.4f missing=%u\n", (double)counted / took, number - first,
           1 - (double)deliveries / ((double)(number - first) * expected), number - oldest);
}

static void close_last(uint32_t count) {
    for (uint32_t i = stream_count; i > 0 && count > 0; i--) {
        if (streams[i - 1].phase != BODY) continue;
        close(streams[i - 1].socket);
        streams[i - 1].phase = GONE;
        count--;
    }
}

static void send_paced(double rate, double seconds, uint32_t groups, uint32_t from, uint32_t closes) {
    uint32_t count = (uint32_t)(rate * seconds), late = 0;
    uint32_t in_group = readers(from, groups) / groups;
    begin();
    int64_t start = now();
    for (uint32_t i = 0; i < count; i++) {
        int64_t due = start + (int64_t)(i / rate * 1e9);
        while (now() < due) look(due);
        if (now() - due > 100000000) late++;
        if (i == count / 2 && closes > 0) close_last(closes);
        publish(from + i % groups, due);
    }
    int64_t give_up = now() + 5000000000;
    uint64_t expected = (uint64_t)count * in_group;
    while (deliveries < expected && now() < give_up) look(now() + 10000000);
    printf("p50=%.3f p99=%.3f max=%.3f late=%u lost=%.4f\n", (double)quantile(delays, 0.5) / 1e3,
           (double)quantile(delays, 0.99) / 1e3, (double)delays->largest / 1e3, late,
           deliveries < expected ? 1 - (double)deliveries / (double)expected : 0);
}

static void stall(uint32_t count) {
    uint32_t done = 0;
    for (uint32_t i = 0; i < stream_count && done < count; i++) {
        if (streams[i].phase != BODY) continue;
        epoll_ctl(queue, EPOLL_CTL_DEL, streams[i].socket, NULL);
        streams[i].phase = STALLED;
        done++;
    }
    printf("stalled=%u\n", done);
}

static double option(const char *line, const char *name, double otherwise) {
    char word[64];
    snprintf(word, sizeof word, " %s=", name);
    const char *found = strstr(line, word);
    return found == NULL ? otherwise : atof(found + strlen(word));
}

int main(int count, char **arguments) {
    if (count < 5 || count > 6) {
        fprintf(stderr, "usage: %s HOST:PORT PATH HEADER PUBLISH [BYTES]\n", arguments[0]);
        return 64;
    }
    struct rlimit files = {MOST_STREAMS + 1000, MOST_STREAMS + 1000};
    if (setrlimit(RLIMIT_NOFILE, &files) != 0) {
        getrlimit(RLIMIT_NOFILE, &files);
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sleep_exactly();
    server = address_of(arguments[1]);
    snprintf(path, sizeof path, "%s", arguments[2]);
    snprintf(header, sizeof header, "%s", arguments[3]);
    if (count == 6) post_bytes = (size_t)atoi(arguments[5]);
    if (post_bytes < MARK_BYTES || post_bytes > 8000) fail("BYTES", "must be from 26 to 8000");
    streams = calloc(MOST_STREAMS, sizeof *streams);
    reached = calloc(MOST_MESSAGES, sizeof *reached);
    sent_at = calloc(MOST_MESSAGES, sizeof *sent_at);
    delays = calloc(1, sizeof *delays);
    queue = epoll_create1(EPOLL_CLOEXEC);
    open_publisher(arguments[4]);

    for (char line[256]; fgets(line, sizeof line, stdin) != NULL;) {
        char command[16];
        if (sscanf(line, "%15s", command) != 1) continue;
        uint32_t groups = (uint32_t)option(line, "groups", 1), from = (uint32_t)option(line, "group", 0);
        uint32_t wanted = (uint32_t)option(line, "count", 1);
        double seconds = option(line, "seconds", 5);
        if (strcmp(command, "open") == 0)  open_streams(wanted, groups, from, (int)option(line, "receive", 0));
        else if (strcmp(command, "single") == 0) send_singly(wanted);
        else if (strcmp(command, "sustained") == 0) send_sustained(seconds, (uint32_t)option(line, "window", 2));
        else if (strcmp(command, "paced") == 0)
            send_paced(option(line, "rate", 100), seconds, groups, from, (uint32_t)option(line, "close", 0));
        else if (strcmp(command, "stall") == 0) stall(wanted);
        else if (strcmp(command, "end") == 0) break;
        else fail(command, "is no command");
        fflush(stdout);
    }
    return 0;
}
