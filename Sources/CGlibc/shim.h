#pragma once
// What Swift's module of glibc leaves out.
#include <malloc.h>
#include <stdint.h>

// sync_file_range(2), which <fcntl.h> declares for _GNU_SOURCE only.
extern int sync_file_range(int descriptor, int64_t offset, int64_t count, unsigned int flags);
