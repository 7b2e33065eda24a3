#include "standard_streams.h"

#include <errno.h>
#include <fcntl.h>

#ifdef __linux__
#define BEFORE_ALL __attribute__((constructor(101)))
#else
#define BEFORE_ALL __attribute__((constructor))
#endif

// A process may be started without a standard stream. Whatever is opened then would be given its number, and text would get
// into a socket or an event loop of the runtime. So the null device takes the place. To read from the one for input, and to
// write to the one for output, is an error, as it is if they are closed. Messages to standard error are lost without one.
BEFORE_ALL static void reserve_standard_streams(void) {
    static const int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
    for (int stream = 0; stream < 3; stream++) {
        if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
        // It is the lowest number that is free: those below are open.
        if (open("/dev/null", modes[stream]) != stream) return;
    }
}
