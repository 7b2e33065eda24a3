#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether this processor has an instruction for CRC-32C.
bool cchecksums_has_crc32c(void);

/// Takes bytes into a register of CRC-32C by that instruction, which must be there.
uint32_t cchecksums_crc32c(uint32_t value, const void *bytes, size_t count);
