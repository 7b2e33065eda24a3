#include "CChecksums.h"

#include <string.h>

// The instructions have no name in Swift. x86-64 has them since SSE 4.2, ARM as an extension that ARMv8.1 requires.
#if defined(__x86_64__)
#include <nmmintrin.h>
#define WITH_CRC __attribute__((target("sse4.2")))
#define TAKE_BYTE(value, byte) _mm_crc32_u8(value, byte)
#define TAKE_WORD(value, word) ((uint32_t)_mm_crc32_u64(value, word))

bool cchecksums_has_crc32c(void) { return __builtin_cpu_supports("sse4.2"); }

#elif defined(__aarch64__) && defined(__linux__)
#include <arm_acle.h>
#include <sys/auxv.h>
#define WITH_CRC __attribute__((target("crc")))
#define TAKE_BYTE(value, byte) __crc32cb(value, byte)
#define TAKE_WORD(value, word) __crc32cd(value, word)

// HWCAP_CRC32 of asm/hwcap.h.
bool cchecksums_has_crc32c(void) { return getauxval(AT_HWCAP) >> 7 & 1; }

#else
#define WITHOUT_CRC

bool cchecksums_has_crc32c(void) { return false; }

uint32_t cchecksums_crc32c(uint32_t value, const void *bytes, size_t count) {
    (void)bytes;
    (void)count;
    return value;
}
#endif

#ifndef WITHOUT_CRC
WITH_CRC uint32_t cchecksums_crc32c(uint32_t value, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    for (; count >= 8; next += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        value = TAKE_WORD(value, word);
    }
    for (; count > 0; next++, count--) value = TAKE_BYTE(value, *next);
    return value;
}
#endif
