/* HCCL between the processes of one host. A call is a task of its stream; groups give tasks away together. */
#define _GNU_SOURCE
#include "communicators.h"
#include "reductions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXECUTING = 1836, MOST_IN_GROUP = 4096 };

typedef enum { ALL, FROM_ROOT, TO_ROOT, BY_PARTS, ONE_SENDS, ONE_RECEIVES } Way;

/* One call. Parts are what goes to or comes from each rank: numbers of elements, and where they begin. */
typedef struct Call {
    Communicator *with;
    Way way;
    Header header;
    const char *from;
    char *to;
    uint64_t number;
    uint32_t root;
    int reduces;
    uint64_t *sent, *sent_at, *received, *received_at;
} Call;

static size_t bytes_of(const Call *call, uint64_t count)
{
    return (size_t)count * size_of_type(call->header.type);
}

static Address to_ranks(const Call *call, uint32_t first, uint32_t end)
{
    return (Address){call->way < ONE_SENDS ? "c" : "p", call->number, first, end};
}

static int fetch_from(const Call *call, uint32_t rank, void *data, uint64_t count)
{
    return fetch(&call->with->box, to_ranks(call, rank, rank + 1), &call->header, data, bytes_of(call, count),
                 seconds_of("HCCL_EXEC_TIMEOUT", EXECUTING));
}

static int post_to(const Call *call, uint32_t first, uint32_t end, const void *data, uint64_t count)
{
    return post(&call->with->box, to_ranks(call, first, end), &call->header, data, bytes_of(call, count));
}

static const void *part(const Call *call, uint32_t rank)
{
    return call->from + bytes_of(call, call->sent_at != NULL ? call->sent_at[rank] : 0);
}

/* Every rank sends to those that read, its own numbers or a part of them for each. */
static int send_parts(const Call *call)
{
    uint32_t size = call->with->box.size, mine = call->with->box.rank;
    int error = 0;
    if (call->way == FROM_ROOT && mine != call->root)
        return 0;
    if (call->way == TO_ROOT)
        return mine == call->root ? 0 : post_to(call, call->root, call->root + 1, call->from, call->header.count);
    if (call->sent_at == NULL)
        return size > 1 ? post_to(call, 0, size, call->from, call->header.count) : 0;
    for (uint32_t rank = 0; rank < size && error == 0; rank++)
        if (rank != mine)
            error = post_to(call, rank, rank + 1, part(call, rank), call->sent[rank]);
    return error;
}

static uint64_t received_of(const Call *call, uint32_t rank)
{
    return call->received != NULL ? call->received[rank] : call->header.count;
}

/* The numbers of all ranks come first into memory of the host: what is sent may be what is received. */
static int reduce_parts(const Call *call)
{
    uint32_t size = call->with->box.size, mine = call->with->box.rank;
    uint64_t count = received_of(call, mine);
    void **parts = calloc(size, sizeof *parts);
    int error = parts == NULL;
    for (uint32_t rank = 0; rank < size && error == 0; rank++) {
        parts[rank] = malloc(bytes_of(call, count) + 1);
        if (parts[rank] == NULL)
            error = fail(ERROR_MEMORY, "EI0007: Failed to allocate memory of the host.");
        else if (rank == mine)
            memcpy(parts[rank], part(call, mine), bytes_of(call, count));
        else
            error = fetch_from(call, rank, parts[rank], count);
    }
    if (error == 0)
        reduce(call->to, parts, size, count, call->header.type, call->header.op);
    for (uint32_t rank = 0; parts != NULL && rank < size; rank++)
        free(parts[rank]);
    free(parts);
    return error;
}

static int receive_parts(const Call *call)
{
    uint32_t mine = call->with->box.rank;
    int error = 0;
    if (call->way == TO_ROOT && mine != call->root)
        return 0;
    if (call->reduces)
        return reduce_parts(call);
    for (uint32_t rank = 0; rank < call->with->box.size && error == 0; rank++) {
        char *to = call->to + bytes_of(call, call->received_at != NULL ? call->received_at[rank] : 0);
        uint64_t count = received_of(call, rank);
        if (call->way == FROM_ROOT && rank != call->root)
            continue;
        if (rank != mine)
            error = fetch_from(call, rank, to, count);
        else if (to != part(call, mine))
            memmove(to, part(call, mine), bytes_of(call, count));
    }
    return error;
}

static int run(void *given)
{
    Call *call = given;
    uint32_t peer = call->root;
    int error;
    if (call->way == ONE_SENDS)
        error = post_to(call, peer, peer + 1, call->from, call->header.count);
    else if (call->way == ONE_RECEIVES)
        error = fetch_from(call, peer, call->to, call->header.count);
    else if ((error = send_parts(call)) == 0)
        error = receive_parts(call);
    free(call->sent);
    free(call);
    return error;
}

/* Calls between HcclGroupStart and HcclGroupEnd, which begin together: what is sent waits for nobody. */
static __thread struct {
    Call *call;
    void *stream;
    int sends;
} group[MOST_IN_GROUP];
static __thread int depth, grouped;

static int issue(Call *call, void *stream)
{
    if (depth > 0 && grouped < MOST_IN_GROUP) {
        group[grouped].call = call;
        group[grouped].stream = stream;
        group[grouped++].sends = call->way == ONE_SENDS;
        return OK;
    }
    return in_order(stream, run, call) == 0 ? OK : INTERNAL;
}

int HcclGroupStart(void)
{
    depth++;
    return OK;
}

int HcclGroupEnd(void)
{
    int error = OK;
    if (--depth > 0)
        return OK;
    for (int sends = 1; sends >= 0; sends--)
        for (int i = 0; i < grouped; i++)
            if (group[i].sends == sends && in_order(group[i].stream, run, group[i].call) != 0)
                error = INTERNAL;
    grouped = 0;
    return error;
}

static Call *call_of(Communicator *with, const char *name, Way way, uint64_t count, uint32_t type)
{
    Call *call = calloc(1, sizeof *call);
    if (call == NULL)
        return NULL;
    call->with = with;
    call->way = way;
    call->header.count = count;
    call->header.type = type;
    snprintf(call->header.name, sizeof call->header.name, "%s", name);
    return call;
}

static int invalid(const char *name, const char *value, const char *parameter)
{
    fail(ERROR_PARAMETER,
         "Invalid_Argument_Collective_Communication_Operator(EI0003): Failed to verify parameters of operator %s. "
         "Value %s for parameter %s is invalid.",
         name, value, parameter);
    return BAD_PARAMETER;
}

/* Numbers the call, with what is sent and received if that differs by rank; NULL stands for `count`. */
static int begin(Call *call, const void *from, void *to, void *stream)
{
    if (call == NULL)
        return NO_MEMORY;
    if (size_of_type(call->header.type) == 0) {
        int error = invalid(call->header.name, name_of_type(call->header.type), "dataType");
        free(call->sent);
        free(call);
        return error;
    }
    call->from = from;
    call->to = to;
    call->number = call->with->collectives++;
    return issue(call, stream);
}

static int has_parts(Call *call)
{
    uint32_t size = call->with->box.size;
    call->sent = calloc(4 * (size_t)size, sizeof *call->sent);
    if (call->sent == NULL)
        return 0;
    call->sent_at = call->sent + size;
    call->received = call->sent_at + size;
    call->received_at = call->received + size;
    return 1;
}

static int refuses(const char *name, uint32_t type, uint32_t op)
{
    if (!is_reduced(type, op))
        return invalid(name, name_of_type(type), "dataType");
    return OK;
}

int HcclAllReduce(void *from, void *to, uint64_t count, uint32_t type, uint32_t op, void *with, void *stream)
{
    int error = refuses("HcclAllReduce", type, op);
    Call *call = error == OK ? call_of(with, "HcclAllReduce", ALL, count, type) : NULL;
    if (error != OK)
        return error;
    if (call != NULL) {
        call->header.op = op;
        call->reduces = 1;
    }
    return begin(call, from, to, stream);
}

int HcclReduce(void *from, void *to, uint64_t count, uint32_t type, uint32_t op, uint32_t root, void *with,
               void *stream)
{
    int error = refuses("HcclReduce", type, op);
    Call *call = error == OK ? call_of(with, "HcclReduce", TO_ROOT, count, type) : NULL;
    if (error != OK)
        return error;
    if (call != NULL) {
        call->header.op = op;
        call->header.root = call->root = root;
        call->reduces = 1;
    }
    return begin(call, from, to, stream);
}

int HcclBroadcast(void *data, uint64_t count, uint32_t type, uint32_t root, void *with, void *stream)
{
    Call *call = call_of(with, "HcclBroadcast", FROM_ROOT, count, type);
    if (call != NULL)
        call->header.root = call->root = root;
    return begin(call, data, data, stream);
}

int HcclAllGather(void *from, void *to, uint64_t count, uint32_t type, void *with, void *stream)
{
    Call *call = call_of(with, "HcclAllGather", ALL, count, type);
    if (call == NULL || !has_parts(call))
        return NO_MEMORY;
    for (uint32_t rank = 0; rank < call->with->box.size; rank++) {
        call->received[rank] = count;
        call->received_at[rank] = rank * count;
    }
    call->sent_at = NULL; /* the same goes to all */
    return begin(call, from, to, stream);
}

int HcclAllGatherV(const void *from, uint64_t count, void *to, const uint64_t *counts, const uint64_t *places,
                   uint32_t type, void *with, void *stream)
{
    Call *call = call_of(with, "HcclAllGatherV", BY_PARTS, 0, type);
    if (call == NULL || !has_parts(call))
        return NO_MEMORY;
    for (uint32_t rank = 0; rank < call->with->box.size; rank++) {
        call->sent[rank] = count;
        call->received[rank] = counts[rank];
        call->received_at[rank] = places[rank];
    }
    return begin(call, from, to, stream);
}

static int reduce_scatter(const char *name, void *from, const uint64_t *counts, const uint64_t *places, void *to,
                          uint64_t count, uint32_t type, uint32_t op, void *with, void *stream)
{
    int error = refuses(name, type, op);
    Call *call = error == OK ? call_of(with, name, BY_PARTS, counts == NULL ? count : 0, type) : NULL;
    if (error != OK)
        return error;
    if (call == NULL || !has_parts(call))
        return NO_MEMORY;
    call->header.op = op;
    call->reduces = 1;
    for (uint32_t rank = 0; rank < call->with->box.size; rank++) {
        call->sent[rank] = counts != NULL ? counts[rank] : count;
        call->sent_at[rank] = places != NULL ? places[rank] : rank * count;
        call->received[rank] = count;
    }
    return begin(call, from, to, stream);
}

int HcclReduceScatter(void *from, void *to, uint64_t count, uint32_t type, uint32_t op, void *with, void *stream)
{
    return reduce_scatter("HcclReduceScatter", from, NULL, NULL, to, count, type, op, with, stream);
}

int HcclReduceScatterV(void *from, const uint64_t *counts, const uint64_t *places, void *to, uint64_t count,
                       uint32_t type, uint32_t op, void *with, void *stream)
{
    return reduce_scatter("HcclReduceScatterV", from, counts, places, to, count, type, op, with, stream);
}

int HcclScatter(void *from, void *to, uint64_t count, uint32_t type, uint32_t root, void *with, void *stream)
{
    Call *call = call_of(with, "HcclScatter", FROM_ROOT, count, type);
    if (call == NULL || !has_parts(call))
        return NO_MEMORY;
    call->header.root = call->root = root;
    for (uint32_t rank = 0; rank < call->with->box.size; rank++) {
        call->sent[rank] = call->received[rank] = count;
        call->sent_at[rank] = rank * count;
    }
    return begin(call, from, to, stream);
}

int HcclAlltoAllV(const void *from, const uint64_t *counts, const uint64_t *places, uint32_t type, void *to,
                  const uint64_t *wanted, const uint64_t *wanted_at, uint32_t same_type, void *with, void *stream)
{
    Call *call = call_of(with, "HcclAlltoAllV", BY_PARTS, 0, type);
    (void)same_type;
    if (call == NULL || !has_parts(call))
        return NO_MEMORY;
    for (uint32_t rank = 0; rank < call->with->box.size; rank++) {
        call->sent[rank] = counts[rank];
        call->sent_at[rank] = places[rank];
        call->received[rank] = wanted[rank];
        call->received_at[rank] = wanted_at[rank];
    }
    return begin(call, from, to, stream);
}

int HcclAlltoAll(const void *from, uint64_t count, uint32_t type, void *to, uint64_t wanted, uint32_t same_type,
                 void *with, void *stream)
{
    Call *call = call_of(with, "HcclAlltoAll", BY_PARTS, count, type);
    (void)same_type;
    if (call == NULL || !has_parts(call))
        return NO_MEMORY;
    for (uint32_t rank = 0; rank < call->with->box.size; rank++) {
        call->sent[rank] = count;
        call->sent_at[rank] = rank * count;
        call->received[rank] = wanted;
        call->received_at[rank] = rank * wanted;
    }
    return begin(call, from, to, stream);
}

static int message(Way way, void *data, uint64_t count, uint32_t type, uint32_t peer, Communicator *with, void *stream)
{
    Call *call = call_of(with, way == ONE_SENDS ? "HcclSend" : "HcclRecv", way, count, type);
    if (call == NULL)
        return NO_MEMORY;
    snprintf(call->header.name, sizeof call->header.name, "HcclSend and HcclRecv");
    call->root = peer;
    call->from = call->to = data;
    call->number = way == ONE_SENDS ? with->sent[peer]++ : with->received[peer]++;
    return issue(call, stream);
}

int HcclSend(void *data, uint64_t count, uint32_t type, uint32_t to, void *with, void *stream)
{
    return message(ONE_SENDS, data, count, type, to, with, stream);
}

int HcclRecv(void *data, uint64_t count, uint32_t type, uint32_t from, void *with, void *stream)
{
    return message(ONE_RECEIVES, data, count, type, from, with, stream);
}

typedef struct Item {
    int receives;
    void *data;
    uint64_t count;
    uint32_t type, peer;
} Item;

int HcclBatchSendRecv(Item *items, uint32_t count, void *with, void *stream)
{
    int error = HcclGroupStart();
    for (uint32_t i = 0; i < count && error == OK; i++)
        error = message(items[i].receives ? ONE_RECEIVES : ONE_SENDS, items[i].data, items[i].count, items[i].type,
                        items[i].peer, with, stream);
    return error != OK ? error : HcclGroupEnd();
}
