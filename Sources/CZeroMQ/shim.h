#pragma once
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <zmq.h>

// The flags are enumerators in C: as functions they need no conversions in Swift.
static inline int czmq_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// ZMQ_ZAP_ENFORCE_DOMAIN: libzmq has had this option since 4.3.2, its header declares it among the drafts.
static const int CZMQ_ZAP_ENFORCE_DOMAIN = 93;

// The bytes that this process has read from a TCP connection; -1 for what is no TCP connection.
//
// The kernel counts what arrived (tcpi_bytes_received of Linux's struct tcp_info, at byte 128; C libraries declare an
// older, shorter struct). What arrives between the two calls makes the result smaller, never larger.
static inline int64_t czmq_bytes_read(int descriptor)
{
    unsigned char info[256];
    socklen_t length = sizeof info;
    uint64_t received;
    int unread = 0;
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, info, &length) != 0 || length < 136) return -1;
    memcpy(&received, info + 128, sizeof received);
    if (ioctl(descriptor, FIONREAD, &unread) != 0) return -1;
    return (int64_t)received - unread;
}

// Whether bytes have arrived at a connection that this process has not read.
static inline int czmq_has_unread(int descriptor)
{
    int unread = 0;
    return ioctl(descriptor, FIONREAD, &unread) == 0 && unread > 0;
}

// Whether bytes were written to a connection that the system has not sent, since the other side takes no more.
static inline int czmq_has_unsent(int descriptor)
{
    int unsent = 0;
    if (ioctl(descriptor, SIOCOUTQNSD, &unsent) == 0) return unsent > 0;
    return ioctl(descriptor, SIOCOUTQ, &unsent) == 0 && unsent > 0;
}
