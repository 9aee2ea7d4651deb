/* Memory: a device's is memory of the host that is counted, and limited as the device's is. */
#define _GNU_SOURCE
#include "emulated.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 512, ON_HOST = -1 };

typedef struct Block {
    struct Block *next;
    char *start;
    size_t size;
    int device;
} Block;

/* Reserved addresses, and the memory that is mapped into a part of them. */
typedef struct Reserved {
    struct Reserved *next;
    char *start;
    size_t size;
} Reserved;

typedef struct Physical {
    size_t size;
    int device;
} Physical;

typedef struct Mapped {
    struct Mapped *next;
    char *start;
    size_t size;
} Mapped;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Block *blocks;
static Reserved *reserved;
static Mapped *mapped;
static size_t in_use[MOST_DEVICES];

int charge(int device, size_t bytes)
{
    size_t total = device_memory();
    int is_full;
    pthread_mutex_lock(&lock);
    is_full = bytes > total - in_use[device];
    if (!is_full)
        in_use[device] += bytes;
    pthread_mutex_unlock(&lock);
    if (is_full)
        return fail(ERROR_MEMORY, TEXT_MEMORY "Device %d, which has %zu bytes, has no %zu left.", device,
                    total, bytes);
    return 0;
}

void discharge(int device, size_t bytes)
{
    pthread_mutex_lock(&lock);
    in_use[device] -= bytes;
    pthread_mutex_unlock(&lock);
}

static int allocate(void **pointer, size_t size, int device)
{
    size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    Block *block = malloc(sizeof *block);
    *pointer = NULL;
    if (device != ON_HOST && charge(device, rounded) != 0) {
        free(block);
        return ERROR_MEMORY;
    }
    if (block == NULL || posix_memalign(pointer, ALIGNMENT, rounded ? rounded : ALIGNMENT) != 0) {
        if (device != ON_HOST)
            discharge(device, rounded);
        free(block);
        return fail(ERROR_MEMORY, TEXT_MEMORY "The host has no %zu bytes left.", size);
    }
    pthread_mutex_lock(&lock);
    *block = (Block){blocks, *pointer, rounded, device};
    blocks = block;
    pthread_mutex_unlock(&lock);
    return 0;
}

static int release(void *pointer)
{
    Block **at, *found;
    pthread_mutex_lock(&lock);
    for (at = &blocks; *at != NULL && (*at)->start != pointer; at = &(*at)->next)
        ;
    found = *at;
    if (found != NULL)
        *at = found->next;
    pthread_mutex_unlock(&lock);
    if (found == NULL)
        return fail(ERROR_PARAMETER, TEXT_INVALID "The address %p was not allocated.", pointer);
    if (found->device != ON_HOST)
        discharge(found->device, found->size);
    free(found->start);
    free(found);
    return 0;
}

int aclrtMalloc(void **pointer, size_t size, int policy)
{
    (void)policy;
    return allocate(pointer, size, current_device());
}

int aclrtMallocAlign32(void **pointer, size_t size, int policy)
{
    return aclrtMalloc(pointer, size, policy);
}

int aclrtMallocWithCfg(void **pointer, size_t size, int policy, void *configuration)
{
    (void)configuration;
    return aclrtMalloc(pointer, size, policy);
}

int aclrtFree(void *pointer)
{
    return release(pointer);
}

int aclrtMallocHost(void **pointer, size_t size)
{
    return allocate(pointer, size, ON_HOST);
}

int aclrtMallocHostWithCfg(void **pointer, uint64_t size, void *configuration)
{
    (void)configuration;
    return allocate(pointer, size, ON_HOST);
}

int aclrtFreeHost(void *pointer)
{
    return release(pointer);
}

/* The attributes begin with a number of the device and a kind: 0 host, 1 device, 2 neither. */
int aclrtPointerGetAttributes(const void *pointer, void *attributes)
{
    const char *address = pointer;
    uint32_t *place = attributes;
    Block *block;
    place[0] = 0;
    place[1] = 2;
    pthread_mutex_lock(&lock);
    for (block = blocks; block != NULL; block = block->next)
        if (address >= block->start && address < block->start + block->size) {
            place[0] = block->device == ON_HOST ? 0 : (uint32_t)block->device;
            place[1] = block->device != ON_HOST;
        }
    pthread_mutex_unlock(&lock);
    return 0;
}

int aclrtGetMemInfo(int kind, size_t *available, size_t *total)
{
    (void)kind;
    *total = device_memory();
    pthread_mutex_lock(&lock);
    *available = *total - in_use[current_device()];
    pthread_mutex_unlock(&lock);
    return 0;
}

int aclrtMemcpy(void *to, size_t room, const void *from, size_t count, int kind)
{
    (void)kind;
    if (count > room)
        return fail(ERROR_PARAMETER, TEXT_INVALID "A copy of %zu bytes does not fit into %zu.", count, room);
    memmove(to, from, count);
    return 0;
}

int aclrtMemcpyAsync(void *to, size_t room, const void *from, size_t count, int kind, void *stream)
{
    int error = settle(stream);
    return error != 0 ? error : aclrtMemcpy(to, room, from, count, kind);
}

int aclrtMemcpyAsyncWithCondition(void *to, size_t room, const void *from, size_t count, int kind, void *stream)
{
    return aclrtMemcpyAsync(to, room, from, count, kind, stream);
}

int aclrtMemset(void *to, size_t room, int32_t value, size_t count)
{
    if (count > room)
        return fail(ERROR_PARAMETER, TEXT_INVALID "%zu bytes do not fit into %zu.", count, room);
    memset(to, value, count);
    return 0;
}

int aclrtMemsetAsync(void *to, size_t room, int32_t value, size_t count, void *stream)
{
    int error = settle(stream);
    return error != 0 ? error : aclrtMemset(to, room, value, count);
}

int aclrtReserveMemAddress(void **pointer, size_t size, size_t alignment, void *wanted, uint64_t flags)
{
    Reserved *range = malloc(sizeof *range);
    (void)alignment, (void)wanted, (void)flags;
    *pointer = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == NULL || *pointer == MAP_FAILED)
        return fail(ERROR_MEMORY, TEXT_MEMORY "The host has no %zu addresses left.", size);
    pthread_mutex_lock(&lock);
    *range = (Reserved){reserved, *pointer, size};
    reserved = range;
    pthread_mutex_unlock(&lock);
    return 0;
}

int aclrtReleaseMemAddress(void *pointer)
{
    Reserved **at, *found;
    pthread_mutex_lock(&lock);
    for (at = &reserved; *at != NULL && (*at)->start != pointer; at = &(*at)->next)
        ;
    found = *at;
    if (found != NULL)
        *at = found->next;
    pthread_mutex_unlock(&lock);
    if (found == NULL)
        return fail(ERROR_PARAMETER, TEXT_INVALID "The address %p was not reserved.", pointer);
    munmap(found->start, found->size);
    free(found);
    return 0;
}

int aclrtMallocPhysical(void **handle, size_t size, const void *property, uint64_t flags)
{
    Physical *memory = malloc(sizeof *memory);
    int device = current_device();
    (void)property, (void)flags;
    *handle = NULL;
    if (memory == NULL || charge(device, size) != 0) {
        free(memory);
        return ERROR_MEMORY;
    }
    *memory = (Physical){size, device};
    *handle = memory;
    return 0;
}

int aclrtFreePhysical(void *handle)
{
    Physical *memory = handle;
    discharge(memory->device, memory->size);
    free(memory);
    return 0;
}

int aclrtMapMem(void *pointer, size_t size, size_t offset, void *handle, uint64_t flags)
{
    Mapped *part = malloc(sizeof *part);
    (void)offset, (void)handle, (void)flags;
    if (part == NULL || mprotect(pointer, size, PROT_READ | PROT_WRITE) != 0)
        return fail(ERROR_PARAMETER, TEXT_INVALID "The address %p was not reserved.", pointer);
    pthread_mutex_lock(&lock);
    *part = (Mapped){mapped, pointer, size};
    mapped = part;
    pthread_mutex_unlock(&lock);
    return 0;
}

int aclrtUnmapMem(void *pointer)
{
    Mapped **at, *found;
    pthread_mutex_lock(&lock);
    for (at = &mapped; *at != NULL && (*at)->start != pointer; at = &(*at)->next)
        ;
    found = *at;
    if (found != NULL)
        *at = found->next;
    pthread_mutex_unlock(&lock);
    if (found == NULL)
        return fail(ERROR_PARAMETER, TEXT_INVALID "Nothing is mapped to %p.", pointer);
    madvise(found->start, found->size, MADV_DONTNEED);
    mprotect(found->start, found->size, PROT_NONE);
    free(found);
    return 0;
}
