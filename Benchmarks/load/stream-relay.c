// The yardstick of the gateway: a bare server of streams. What is posted goes at once to all that follow, in one `send` each.
//
// stream-relay; prints `ready ADDRESS:PORT` and runs until it is killed. `GET` opens a stream, `POST` publishes.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 100000, REQUEST_BYTES = 16384, EVENTS = 512 };

typedef struct {
    char *request;
    size_t size;
    uint32_t place;     // among the readers, counted from 1
} connection;

static connection connections[MOST];
static int readers[MOST], epoll;
static uint32_t reader_count;

static void answer(int socket, const char *text, size_t size) {
    if (send(socket, text, size, MSG_NOSIGNAL) != (ssize_t)size) shutdown(socket, SHUT_RDWR);
}

static void close_connection(int socket) {
    connection *c = &connections[socket];
    if (c->place > 0) {
        int last = readers[--reader_count];
        readers[c->place - 1] = last;
        connections[last].place = c->place;
    }
    free(c->request);
    *c = (connection){0};
    close(socket);
}

static void publish(const char *body, size_t size) {
    static char message[REQUEST_BYTES + 64];
    char piece[16];
    int head = sprintf(piece, "%zx\r\n", size + 8);
    size_t at = 0;
    memcpy(message, piece, (size_t)head);
    at += (size_t)head;
    memcpy(message + at, "data: ", 6);
    memcpy(message + at + 6, body, size);
    memcpy(message + at + 6 + size, "\n\n\r\n", 4);
    at += 6 + size + 4;
    // A reader that takes no more bytes misses this message.
    for (uint32_t i = 0; i < reader_count; i++) send(readers[i], message, at, MSG_NOSIGNAL | MSG_DONTWAIT);
}

// Returns how many bytes of the request are settled.
static size_t take_request(int socket, connection *c) {
    static const char opened[] =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nTransfer-Encoding: chunked\r\n\r\n";
    c->request[c->size] = 0;
    char *end = strstr(c->request, "\r\n\r\n");
    if (end == NULL) return 0;
    size_t head = (size_t)(end + 4 - c->request), body = 0;
    if (strncmp(c->request, "POST ", 5) == 0) {
        const char *length = strcasestr(c->request, "\r\nContent-Length:");
        if (length != NULL && length < end) body = (size_t)atoi(length + 17);
        if (c->size < head + body) return 0;
        publish(c->request + head, body);
        static const char done[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        answer(socket, done, sizeof done - 1);
        return head + body;
    }
    answer(socket, opened, sizeof opened - 1);
    readers[reader_count++] = socket;
    c->place = reader_count;
    return head;
}

static void read_connection(int socket) {
    connection *c = &connections[socket];
    if (c->request == NULL) c->request = malloc(REQUEST_BYTES);
    ssize_t size = recv(socket, c->request + c->size, REQUEST_BYTES - 1 - c->size, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (size <= 0) {
        close_connection(socket);
        return;
    }
    c->size += (size_t)size;
    for (size_t used; c->size > 0 && (used = take_request(socket, c)) > 0;) {
        c->size -= used;
        memmove(c->request, c->request + used, c->size);
    }
    // A stream sends nothing more.
    if (c->place > 0) {
        free(c->request);
        c->request = NULL;
        c->size = 0;
    } else if (c->size == REQUEST_BYTES - 1) {
        close_connection(socket);
    }
}

int main(void) {
    struct rlimit files = {MOST, MOST};
    if (setrlimit(RLIMIT_NOFILE, &files) != 0) {
        getrlimit(RLIMIT_NOFILE, &files);
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    signal(SIGPIPE, SIG_IGN);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 4096) != 0) {
        perror("stream-relay");
        return 69;
    }
    getsockname(listener, (struct sockaddr *)&address, &length);
    epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
    printf("ready 127.0.0.1:%u\n", ntohs(address.sin_port));
    fflush(stdout);
    while (true) {
        struct epoll_event events[EVENTS];
        int count = epoll_wait(epoll, events, EVENTS, -1);
        for (int i = 0; i < count; i++) {
            int socket = events[i].data.fd;
            if (socket != listener) {
                read_connection(socket);
                continue;
            }
            while ((socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
                if (socket >= MOST) {
                    close(socket);
                    continue;
                }
                setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
                struct epoll_event reading = {.events = EPOLLIN, .data.fd = socket};
                epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &reading);
            }
        }
    }
}
