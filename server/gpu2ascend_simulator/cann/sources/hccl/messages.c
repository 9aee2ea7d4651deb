/* Messages between the ranks of a host: files that a rank writes once, and each reader removes. */
#define _GNU_SOURCE
#include "messages.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { QUICK = 200, LONGEST_PAUSE = 500, MICROSECONDS = 1000000 };

const char *message_root(void)
{
    const char *given = getenv("GPU2ASCEND_MESSAGES");
    if (given != NULL && *given != 0)
        return given;
    return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

static int unusable(const char *what)
{
    return fail(ERROR_INTERNAL, "EI9999: A message cannot be %s: %s.", what, strerror(errno));
}

static int put(int file, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        ssize_t written = write(file, at, size);
        if (written <= 0)
            return unusable("written");
        at += written;
        size -= (size_t)written;
    }
    return 0;
}

static void path_of(char *path, const Mailbox *box, const char *kind, uint64_t number, uint32_t from, uint32_t to)
{
    snprintf(path, PATH_MAX, "%s/%s%llu.%u.%u", box->folder, kind, (unsigned long long)number, from, to);
}

int post(const Mailbox *box, Address address, const Header *header, const void *data, size_t size)
{
    char written[PATH_MAX], given[PATH_MAX], kind[8];
    int error = 0, file;
    snprintf(kind, sizeof kind, "%sw", address.kind);
    path_of(written, box, kind, address.number, box->rank, address.first);
    file = open(written, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (file < 0)
        return unusable("made");
    error = put(file, header, sizeof *header);
    if (error == 0)
        error = put(file, data, size);
    close(file);
    for (uint32_t to = address.first; to < address.end && error == 0; to++) {
        path_of(given, box, address.kind, address.number, box->rank, to);
        if (to != box->rank && link(written, given) != 0)
            error = unusable("given");
    }
    unlink(written);
    return error;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int opened(const Mailbox *box, const char *path, uint32_t from, double seconds)
{
    double until = now() + seconds;
    useconds_t pause = 1;
    for (int tries = 0;; tries++) {
        int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        if (file >= 0 || errno != ENOENT)
            return file;
        if (now() > until) {
            fail(ERROR_TIMEOUT, "Communication_Error_Timeout(EI0002): Rank %u waited %.0f s for rank %u in %s.",
                 box->rank, seconds, from, box->name);
            return LATE;
        }
        if (tries > QUICK && pause < LONGEST_PAUSE)
            pause *= 2;
        usleep(pause);
    }
}

static int differs(const char *what, unsigned long long mine, unsigned long long theirs, const Header *header)
{
    return fail(ERROR_PARAMETER,
                "Invalid_Argument(EI0005): The parameters of operator %s are inconsistent between ranks, parameter "
                "%s is %llu on the local rank and %llu on the remote rank.",
                header->name, what, mine, theirs);
}

static int compare(const Header *mine, const Header *theirs)
{
    if (strcmp(mine->name, theirs->name) != 0)
        return fail(ERROR_PARAMETER,
                    "Invalid_Argument(EI0005): Ranks call different operators, %s on the local rank and %.*s on the "
                    "remote rank.",
                    mine->name, (int)sizeof theirs->name, theirs->name);
    if (mine->type != theirs->type)
        return differs("dataType", mine->type, theirs->type, mine);
    if (mine->count != theirs->count)
        return differs("count", mine->count, theirs->count, mine);
    if (mine->op != theirs->op)
        return differs("op", mine->op, theirs->op, mine);
    if (mine->root != theirs->root)
        return differs("root", mine->root, theirs->root, mine);
    return 0;
}

static int take(int file, void *data, size_t size)
{
    char *at = data;
    while (size > 0) {
        ssize_t read_ = read(file, at, size);
        if (read_ <= 0)
            return fail(ERROR_INTERNAL, "EI9999: A message is cut off.");
        at += read_;
        size -= (size_t)read_;
    }
    return 0;
}

int fetch(const Mailbox *box, Address address, const Header *header, void *data, size_t size, double seconds)
{
    char path[PATH_MAX];
    Header theirs;
    int error, file;
    path_of(path, box, address.kind, address.number, address.first, box->rank);
    file = opened(box, path, address.first, seconds);
    if (file < 0)
        return file == LATE ? ERROR_TIMEOUT : unusable("read");
    error = take(file, &theirs, sizeof theirs);
    if (error == 0)
        error = compare(header, &theirs);
    if (error == 0)
        error = take(file, data, size);
    close(file);
    unlink(path);
    return error;
}

int join_mailbox(Mailbox *box)
{
    char path[PATH_MAX];
    int file;
    if (mkdir(box->folder, 0700) != 0 && errno != EEXIST)
        return unusable("sent");
    path_of(path, box, "m", 0, box->rank, box->rank);
    file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (file < 0)
        return unusable("sent");
    close(file);
    return 0;
}

/* The last one who leaves removes the folder. */
void leave_mailbox(const Mailbox *box)
{
    char path[PATH_MAX];
    path_of(path, box, "m", 0, box->rank, box->rank);
    unlink(path);
    rmdir(box->folder);
}
