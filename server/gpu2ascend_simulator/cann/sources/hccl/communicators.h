/* Communicators of HCCL, and the numbers by which its functions say how a call ended. */
#ifndef GPU2ASCEND_COMMUNICATORS_H
#define GPU2ASCEND_COMMUNICATORS_H

#include "messages.h"

enum { OK, BAD_PARAMETER = 1, NO_MEMORY = 3, INTERNAL = 4, TOO_LATE = 9 };

/* Calls have numbers, by which their messages find each other. */
typedef struct Communicator {
    Mailbox box;
    uint64_t collectives;
    uint64_t *sent, *received;
} Communicator;

/* The seconds that a variable says, else the ones given. */
double seconds_of(const char *variable, double otherwise);

#endif
