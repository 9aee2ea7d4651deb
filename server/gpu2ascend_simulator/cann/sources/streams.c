/* Streams and events. Work is done when the call that asks for it returns, so that they are in order. */
#include "emulated.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MICROSECONDS = 1000000, LONGEST_WAIT = 100, NO_CAPTURE = 0 };

typedef struct Stream {
    int number;
    int device;
    uint32_t overflow;
} Stream;

typedef struct Event {
    uint64_t recorded;
} Event;

static int created;

int aclrtCreateStreamWithConfig(void **stream, uint32_t priority, uint32_t flags)
{
    Stream *made = malloc(sizeof *made);
    (void)priority, (void)flags;
    if (made == NULL)
        return fail(ERROR_MEMORY, "EL0004: The host has no memory left.");
    *made = (Stream){__atomic_fetch_add(&created, 1, __ATOMIC_RELAXED), current_device(), 0};
    *stream = made;
    return 0;
}

int aclrtCreateStream(void **stream)
{
    return aclrtCreateStreamWithConfig(stream, 0, 0);
}

int aclrtDestroyStream(void *stream)
{
    free(stream);
    return 0;
}

int aclrtDestroyStreamForce(void *stream)
{
    return aclrtDestroyStream(stream);
}

int aclrtStreamGetId(void *stream, int32_t *number)
{
    *number = stream != NULL ? ((Stream *)stream)->number : 0;
    return 0;
}

int aclrtGetStreamId(void *stream, int32_t *number)
{
    return aclrtStreamGetId(stream, number);
}

int aclrtGetStreamAvailableNum(uint32_t *count)
{
    *count = 1000;
    return 0;
}

int aclrtStreamQuery(void *stream, int *status)
{
    (void)stream;
    *status = 0;
    return 0;
}

int aclrtSetStreamFailureMode(void *stream, uint64_t mode)
{
    (void)stream, (void)mode;
    return 0;
}

int aclrtSetStreamOverflowSwitch(void *stream, uint32_t flag)
{
    if (stream != NULL)
        ((Stream *)stream)->overflow = flag;
    return 0;
}

int aclrtGetStreamOverflowSwitch(void *stream, uint32_t *flag)
{
    *flag = stream != NULL ? ((Stream *)stream)->overflow : 0;
    return 0;
}

int aclrtSynchronizeStream(void *stream)
{
    (void)stream;
    return 0;
}

int aclrtSynchronizeStreamWithTimeout(void *stream, int32_t milliseconds)
{
    (void)stream, (void)milliseconds;
    return 0;
}

int aclrtSynchronizeDevice(void)
{
    return 0;
}

int aclrtSynchronizeDeviceWithTimeout(int32_t milliseconds)
{
    (void)milliseconds;
    return 0;
}

int aclrtStreamWaitEvent(void *stream, void *event)
{
    (void)stream, (void)event;
    return 0;
}

/* No stream is ever being captured into a graph. */
int aclmdlRICaptureGetInfo(void *stream, int *status, void **model)
{
    (void)stream;
    *status = NO_CAPTURE;
    if (model != NULL)
        *model = NULL;
    return 0;
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * MICROSECONDS + (uint64_t)time.tv_nsec / 1000;
}

int aclrtCreateEventExWithFlag(void **event, uint32_t flags)
{
    (void)flags;
    *event = calloc(1, sizeof(Event));
    return *event != NULL ? 0 : fail(ERROR_MEMORY, "EL0004: The host has no memory left.");
}

int aclrtCreateEventWithFlag(void **event, uint32_t flags)
{
    return aclrtCreateEventExWithFlag(event, flags);
}

int aclrtCreateEvent(void **event)
{
    return aclrtCreateEventExWithFlag(event, 0);
}

int aclrtDestroyEvent(void *event)
{
    free(event);
    return 0;
}

int aclrtRecordEvent(void *event, void *stream)
{
    (void)stream;
    ((Event *)event)->recorded = now();
    return 0;
}

int aclrtResetEvent(void *event, void *stream)
{
    (void)event, (void)stream;
    return 0;
}

int aclrtQueryEventStatus(void *event, int *status)
{
    (void)event;
    *status = 1;
    return 0;
}

int aclrtQueryEventWaitStatus(void *event, int *status)
{
    (void)event;
    *status = 0;
    return 0;
}

int aclrtSynchronizeEvent(void *event)
{
    (void)event;
    return 0;
}

int aclrtEventGetTimestamp(void *event, uint64_t *time)
{
    *time = ((Event *)event)->recorded;
    return 0;
}

int aclrtEventElapsedTime(float *milliseconds, void *begin, void *end)
{
    uint64_t from = ((Event *)begin)->recorded, to = ((Event *)end)->recorded;
    if (from == 0 || to == 0)
        return fail(ERROR_PARAMETER, "EE1001: An event was not recorded.");
    *milliseconds = (float)((double)to - (double)from) / 1000;
    return 0;
}

int aclrtLaunchHostFunc(void *stream, void (*function)(void *), void *given)
{
    (void)stream;
    function(given);
    return 0;
}

int aclrtLaunchCallback(void (*function)(void *), void *given, int blocks, void *stream)
{
    (void)blocks;
    return aclrtLaunchHostFunc(stream, function, given);
}

int aclrtSubscribeReport(uint64_t thread, void *stream)
{
    (void)thread, (void)stream;
    return 0;
}

int aclrtUnSubscribeReport(uint64_t thread, void *stream)
{
    (void)thread, (void)stream;
    return 0;
}

/* A thread asks for callbacks that are due: none ever is, so it waits. */
int aclrtProcessReport(int32_t milliseconds)
{
    int wait = milliseconds < 0 || milliseconds > LONGEST_WAIT ? LONGEST_WAIT : milliseconds;
    usleep((useconds_t)wait * 1000);
    return 0;
}
