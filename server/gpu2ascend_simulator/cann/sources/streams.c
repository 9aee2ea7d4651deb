/* Streams and events. Work is done when the call that asks for it returns, but for messages between processes:
   a thread of the stream works these off in order, and what follows in the stream waits for them. */
#include "emulated.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MICROSECONDS = 1000000, LONGEST_WAIT = 100, NO_CAPTURE = 0, NOT_READY = 1, NOT_WAITED = 1 };
enum { MOST_STREAMS = 4096 };

typedef struct Task {
    struct Task *next;
    int (*run)(void *given);
    void *given;
} Task;

typedef struct Stream {
    int number;
    int device;
    uint32_t overflow;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    Task *first, **last;
    uint64_t issued, done;
    int works, error;
    char text[LONGEST_TEXT];
} Stream;

typedef struct Event {
    uint64_t recorded;
    Stream *stream;
    uint64_t number;
} Event;

static int created;

/* How many tasks of the process are not done: Python's kernels wait for the ones of their stream. */
int gpu2ascend_pending;

static void *work_off(void *given)
{
    Stream *stream = given;
    pthread_mutex_lock(&stream->lock);
    for (;;) {
        while (stream->first == NULL)
            pthread_cond_wait(&stream->changed, &stream->lock);
        Task *task = stream->first;
        pthread_mutex_unlock(&stream->lock);
        int error = task->run(task->given);
        pthread_mutex_lock(&stream->lock);
        if (error != 0 && stream->error == 0) {
            stream->error = error;
            snprintf(stream->text, sizeof stream->text, "%s", last_text());
        }
        stream->first = task->next;
        if (stream->first == NULL)
            stream->last = &stream->first;
        stream->done++;
        __atomic_fetch_sub(&gpu2ascend_pending, 1, __ATOMIC_RELEASE);
        pthread_cond_broadcast(&stream->changed);
        free(task);
    }
    return NULL;
}

int in_order(void *place, int (*run)(void *given), void *given)
{
    Stream *stream = place;
    Task *task = malloc(sizeof *task);
    pthread_t thread;
    if (stream == NULL || task == NULL) {
        free(task);
        return run(given);
    }
    *task = (Task){NULL, run, given};
    pthread_mutex_lock(&stream->lock);
    if (!stream->works && pthread_create(&thread, NULL, work_off, stream) == 0) {
        stream->works = 1;
        pthread_detach(thread);
    }
    *stream->last = task;
    stream->last = &task->next;
    stream->issued++;
    __atomic_fetch_add(&gpu2ascend_pending, 1, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&stream->changed);
    pthread_mutex_unlock(&stream->lock);
    return 0;
}

/* Waits until so many tasks of a stream are done; milliseconds below 0 are forever. */
static int wait_for(Stream *stream, uint64_t number, int32_t milliseconds)
{
    struct timespec until;
    int error = 0, is_late = 0;
    if (stream == NULL)
        return 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += milliseconds / 1000;
    pthread_mutex_lock(&stream->lock);
    while (stream->done < number && !is_late) {
        if (milliseconds < 0)
            pthread_cond_wait(&stream->changed, &stream->lock);
        else
            is_late = pthread_cond_timedwait(&stream->changed, &stream->lock, &until) != 0;
    }
    if (is_late)
        error = fail(ERROR_TIMEOUT, TEXT_INNER "The stream did not end in %d ms.", milliseconds);
    else if (stream->error != 0)
        error = fail(stream->error, "%s", stream->text);
    pthread_mutex_unlock(&stream->lock);
    return error;
}

static int wait_for_all(Stream *stream, int32_t milliseconds)
{
    return stream != NULL ? wait_for(stream, stream->issued, milliseconds) : 0;
}

int settle(void *stream)
{
    return wait_for_all(stream, -1);
}

static int is_done(Stream *stream, uint64_t number)
{
    int done;
    if (stream == NULL)
        return 1;
    pthread_mutex_lock(&stream->lock);
    done = stream->done >= number;
    pthread_mutex_unlock(&stream->lock);
    return done;
}

/* Every stream of the process: a device waits for those that are its own. */
static Stream *streams[MOST_STREAMS];

static int wait_for_device(int32_t milliseconds)
{
    int error = 0;
    for (int i = 0; i < MOST_STREAMS && error == 0; i++)
        if (streams[i] != NULL && streams[i]->works && streams[i]->device == current_device())
            error = wait_for_all(streams[i], milliseconds);
    return error;
}

int aclrtCreateStreamWithConfig(void **stream, uint32_t priority, uint32_t flags)
{
    Stream *made = calloc(1, sizeof *made);
    (void)priority, (void)flags;
    if (made == NULL)
        return fail(ERROR_MEMORY, TEXT_MEMORY "The host has no memory left.");
    made->number = __atomic_fetch_add(&created, 1, __ATOMIC_RELAXED);
    made->device = current_device();
    made->last = &made->first;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->changed, NULL);
    if (made->number < MOST_STREAMS)
        streams[made->number] = made;
    *stream = made;
    return 0;
}

int aclrtCreateStream(void **stream)
{
    return aclrtCreateStreamWithConfig(stream, 0, 0);
}

/* Its thread and events may still look at one that had tasks, so it stays. */
int aclrtDestroyStream(void *stream)
{
    Stream *given = stream;
    if (given != NULL && !given->works) {
        if (given->number < MOST_STREAMS)
            streams[given->number] = NULL;
        free(given);
    }
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
    Stream *given = stream;
    *status = given == NULL || is_done(given, given->issued) ? 0 : NOT_READY;
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
    return settle(stream);
}

int aclrtSynchronizeStreamWithTimeout(void *stream, int32_t milliseconds)
{
    return wait_for_all(stream, milliseconds);
}

int aclrtSynchronizeDevice(void)
{
    return wait_for_device(-1);
}

int aclrtSynchronizeDeviceWithTimeout(int32_t milliseconds)
{
    return wait_for_device(milliseconds);
}

/* What follows in the stream is done at once, so the caller waits in its place. */
int aclrtStreamWaitEvent(void *stream, void *event)
{
    Event *given = event;
    return given->stream == stream ? 0 : wait_for(given->stream, given->number, -1);
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
    return *event != NULL ? 0 : fail(ERROR_MEMORY, TEXT_MEMORY "The host has no memory left.");
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
    Stream *given = stream;
    *(Event *)event = (Event){now(), given, given != NULL ? given->issued : 0};
    return 0;
}

int aclrtResetEvent(void *event, void *stream)
{
    (void)event, (void)stream;
    return 0;
}

int aclrtQueryEventStatus(void *event, int *status)
{
    Event *given = event;
    *status = is_done(given->stream, given->number);
    return 0;
}

int aclrtQueryEventWaitStatus(void *event, int *status)
{
    Event *given = event;
    *status = is_done(given->stream, given->number) ? 0 : NOT_WAITED;
    return 0;
}

int aclrtSynchronizeEvent(void *event)
{
    Event *given = event;
    return wait_for(given->stream, given->number, -1);
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
        return fail(ERROR_PARAMETER, TEXT_INVALID "An event was not recorded.");
    *milliseconds = (float)((double)to - (double)from) / 1000;
    return 0;
}

int aclrtLaunchHostFunc(void *stream, void (*function)(void *), void *given)
{
    int error = settle(stream);
    if (error == 0)
        function(given);
    return error;
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
