#include <stddef.h>
#include <stdint.h>

// libFuzzer's own: a header of it is not installed.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run)(const uint8_t *bytes, size_t count));
