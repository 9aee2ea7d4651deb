/* HCCL's communicators: processes of one host that meet by a name. */
#define _GNU_SOURCE
#include "communicators.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CAPABILITIES = 3, NAME_IN_CONFIG = 32, CONNECTING = 120, MOST_RANKS = 1024 };

double seconds_of(const char *variable, double otherwise)
{
    const char *value = getenv(variable);
    double seconds = value != NULL ? strtod(value, NULL) : 0;
    return seconds > 0 ? seconds : otherwise;
}

static void *without(Communicator *made)
{
    free(made->sent);
    free(made);
    return NULL;
}

static Communicator *communicator(const char *name, uint32_t rank, uint32_t size)
{
    Communicator *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    snprintf(made->box.name, sizeof made->box.name, "%s", name);
    snprintf(made->box.folder, sizeof made->box.folder, "%s/%s", message_root(), name);
    made->box.rank = rank;
    made->box.size = size;
    made->sent = calloc(2 * (size_t)size, sizeof *made->sent);
    made->received = made->sent + size;
    if (made->sent == NULL || join_mailbox(&made->box) != 0)
        return without(made);
    return made;
}

/* All ranks tell which device of the host they use, and no two may use the same. */
static int meet(const Communicator *with)
{
    const Mailbox *box = &with->box;
    int mine = device_of_host(), devices[MOST_RANKS], error = 0;
    double seconds = seconds_of("HCCL_CONNECT_TIMEOUT", CONNECTING);
    Header header = {"HcclCommInitRootInfo", 0, 0, 0, box->size};
    if (box->size > MOST_RANKS)
        return BAD_PARAMETER;
    if (box->size > 1)
        error = post(box, (Address){"i", 0, 0, box->size}, &header, &mine, sizeof mine);
    for (uint32_t rank = 0; rank < box->size && error == 0; rank++) {
        devices[rank] = mine;
        if (rank != box->rank)
            error = fetch(box, (Address){"i", 0, rank, rank + 1}, &header, &devices[rank], sizeof mine, seconds);
        for (uint32_t other = 0; other < rank && error == 0; other++)
            if (devices[other] == devices[rank])
                error = fail(ERROR_PARAMETER, "HCCL: ranks %u and %u use the same device, NPU %d of the host.", other,
                             rank, devices[rank]);
    }
    return error == 0 ? OK : error == ERROR_TIMEOUT ? TOO_LATE : INTERNAL;
}

static int joined(const char *name, uint32_t rank, uint32_t size, void **place)
{
    Communicator *made = communicator(name, rank, size);
    int error = made == NULL ? INTERNAL : meet(made);
    if (error == OK)
        *place = made;
    else if (made != NULL)
        leave_mailbox(&made->box);
    return error;
}

int HcclGetRootInfo(char *information)
{
    static int count;
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    snprintf(information, LONGEST_NAME, "gpu2ascend-hccl-%d-%llx-%d", (int)getpid(),
             (unsigned long long)time.tv_sec * 1000000000ull + (unsigned long long)time.tv_nsec,
             __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED));
    return OK;
}

int HcclCommInitRootInfo(uint32_t size, const char *information, uint32_t rank, void **place)
{
    char name[LONGEST_NAME];
    if (rank >= size || memchr(information, 0, sizeof name) == NULL || strchr(information, '/') != NULL)
        return BAD_PARAMETER;
    strcpy(name, information);
    return joined(name, rank, size, place);
}

int HcclCommInitRootInfoConfig(uint32_t size, const char *information, uint32_t rank, const char *config, void **place)
{
    (void)config;
    return HcclCommInitRootInfo(size, information, rank, place);
}

int HcclCreateSubCommConfig(Communicator **of, uint32_t size, const uint32_t *ranks, uint64_t number, uint32_t rank,
                            const char *config, void **place)
{
    char name[LONGEST_NAME + 32];
    (void)ranks, (void)config;
    snprintf(name, sizeof name, "%s.%llx", (*of)->box.name, (unsigned long long)number);
    if (rank >= size || strlen(name) >= LONGEST_NAME)
        return BAD_PARAMETER;
    return joined(name, rank, size, place);
}

/* Tasks of a stream may still use it, so its memory stays. */
int HcclCommDestroy(Communicator *with)
{
    leave_mailbox(&with->box);
    return OK;
}

int HcclGetCommName(const Communicator *with, char *name)
{
    strcpy(name, with->box.name);
    return OK;
}

int HcclGetRankSize(const Communicator *with, uint32_t *size)
{
    *size = with->box.size;
    return OK;
}

int HcclGetRankId(const Communicator *with, uint32_t *rank)
{
    *rank = with->box.rank;
    return OK;
}

/* An error is the stream's, which the next call that waits for it says. */
int HcclGetCommAsyncError(const Communicator *with, int *error)
{
    (void)with;
    *error = OK;
    return OK;
}

uint32_t HcclGetCommConfigCapability(void)
{
    return CAPABILITIES;
}

int HcclSetConfig(int config, int value)
{
    (void)config, (void)value;
    return OK;
}

const char *HcclGetErrorString(int code)
{
    switch (code) {
    case OK:
        return "success";
    case BAD_PARAMETER:
        return "parameter error";
    case NO_MEMORY:
        return "memory error";
    case TOO_LATE:
        return "timeout";
    default:
        return "internal error";
    }
}
