#pragma once
#include <zmq.h>
#include <sys/eventfd.h>

// The flags are enumerators in C: as functions they need no conversions in Swift.
static inline int czmq_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
