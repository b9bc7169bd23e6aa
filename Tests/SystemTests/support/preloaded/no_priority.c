/* Preloaded into the server, it forbids setpriority, as a filter of system calls does. */
#include <errno.h>

int setpriority(int which, unsigned who, int priority) {
    (void)which, (void)who, (void)priority;
    errno = EPERM;
    return -1;
}
