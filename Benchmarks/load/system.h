// What the harness needs of a system to drive messages through it. Each system is a file of its own, linked with the
// harness into a program of its own.
#pragma once
#include "message.h"
#include "run.h"

typedef struct tally tally;

// A consumer has got this message; negative numbers count for nothing.
void take(tally *t, int64_t number);

// How many messages the system is given at a time; 0: it doesn't know this workload.
uint32_t system_step(const char *workload);

// In the producer's process. What it sends goes into the group of its number, or of 0 if it is a probe.
void open_producer(const run *r);
void send_messages(const run *r, mark m, uint32_t first, uint32_t count);
// The producer is about to wait: what was gathered must leave.
void flush_messages(const run *r);
// Returns once everything has left, and is confirmed where the workload asks for it.
void close_producer(const run *r);

// In a consumer's process. `receive` takes at least one message, or returns false after so many ms without any.
void open_consumer(const run *r);
bool receive(const run *r, int wait_ms, tally *t);
