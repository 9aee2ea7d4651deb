/* Devices of one host. A thread has none until it sets one, and with it the device's one context. */
#include "emulated.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NONE = -1, LEAST = 2, ON_HOST = 8, CUBE_CORES = 24, VECTOR_CORES = 48, MOST_OPTIONS = 64 };

static const size_t MEMORY = (size_t)2 << 30;
static __thread int current = NONE;
static char contexts[MOST_DEVICES];
static unsigned char used[MOST_DEVICES];

static long number_of(const char *variable, long otherwise)
{
    const char *value = getenv(variable);
    return value != NULL && isdigit((unsigned char)*value) ? strtol(value, NULL, 10) : otherwise;
}

static int numbers[MOST_DEVICES];

/* The list is of numbers in ascending order; one that is not is worth no device, and the first number
   beyond the host's devices ends it. */
static int chosen(const char *list, long on_host)
{
    int count = 0;
    long before = -1;
    while (*list != 0) {
        char *end;
        long number = isdigit((unsigned char)*list) ? strtol(list, &end, 10) : -1;
        if (number <= before || (*end != ',' && *end != 0))
            return 0;
        if (number >= on_host)
            return count;
        before = number;
        if (count < MOST_DEVICES)
            numbers[count] = (int)number;
        count++;
        list = *end == ',' ? end + 1 : end;
    }
    return count;
}

static int visible;

static void count_devices(void)
{
    long ranks = number_of("LOCAL_WORLD_SIZE", 0);
    long asked = number_of("GPU2ASCEND_NPU_COUNT", -1);
    long count = asked >= 0 ? asked : ranks > LEAST ? ranks : LEAST;
    const char *list = getenv("ASCEND_RT_VISIBLE_DEVICES");
    for (int i = 0; i < MOST_DEVICES; i++)
        numbers[i] = i;
    if (list != NULL)
        count = chosen(list, asked >= 0 ? count : count > ON_HOST ? count : ON_HOST);
    visible = count < MOST_DEVICES ? (int)count : MOST_DEVICES;
}

int device_count(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, count_devices);
    return visible;
}

int current_device(void)
{
    return current == NONE ? 0 : current;
}

int device_of_host(void)
{
    return device_count() > current_device() ? numbers[current_device()] : current_device();
}

static int without_context(void)
{
    return fail(ERROR_CONTEXT, TEXT_INVALID "This thread has no context: no device was set.");
}

size_t device_memory(void)
{
    return (size_t)number_of("GPU2ASCEND_NPU_MEMORY", (long)MEMORY);
}

int aclInit(const char *configuration)
{
    (void)configuration;
    return 0;
}

int aclFinalize(void)
{
    return 0;
}

int aclrtGetDeviceCount(uint32_t *count)
{
    *count = (uint32_t)device_count();
    return 0;
}

int aclrtSetDevice(int32_t device)
{
    if (device < 0 || device >= device_count())
        return fail(ERROR_DEVICE, TEXT_INVALID "Invalid device ID %d: there are %d devices.", device, device_count());
    current = device;
    used[device] = 1;
    return 0;
}

int aclrtGetDevice(int32_t *device)
{
    if (current == NONE)
        return without_context();
    *device = current;
    return 0;
}

int aclrtResetDevice(int32_t device)
{
    (void)device;
    return 0;
}

int aclrtGetCurrentContext(void **context)
{
    if (current == NONE)
        return without_context();
    *context = &contexts[current];
    return 0;
}

int aclrtSetCurrentContext(void *context)
{
    char *given = context;
    if (given < contexts || given >= contexts + MOST_DEVICES)
        return fail(ERROR_CONTEXT, TEXT_INVALID "The context is none of a device.");
    current = (int)(given - contexts);
    return 0;
}

int aclrtGetPrimaryCtxState(int32_t device, uint32_t *flags, int32_t *active)
{
    if (device < 0 || device >= device_count())
        return fail(ERROR_DEVICE, TEXT_INVALID "Invalid device ID %d.", device);
    if (flags != NULL)
        *flags = 0;
    if (active != NULL)
        *active = used[device];
    return 0;
}

int aclrtDeviceCanAccessPeer(int32_t *can, int32_t device, int32_t peer)
{
    *can = device != peer;
    return 0;
}

int aclrtDeviceEnablePeerAccess(int32_t peer, uint32_t flags)
{
    (void)peer, (void)flags;
    return 0;
}

int aclrtDeviceGetBareTgid(int32_t *process)
{
    *process = (int32_t)getpid();
    return 0;
}

int aclrtGetLogicDevIdByUserDevId(int32_t given, int32_t *logical)
{
    *logical = given;
    return 0;
}

const char *aclrtGetSocName(void)
{
    return "Ascend910B3";
}

static int64_t cores(int of_vectors)
{
    return of_vectors ? VECTOR_CORES : CUBE_CORES;
}

int aclGetDeviceCapability(uint32_t device, int what, int64_t *value)
{
    (void)device;
    *value = cores(what == 1);
    return 0;
}

int aclrtGetDeviceResLimit(int32_t device, int kind, uint32_t *value)
{
    (void)device;
    *value = (uint32_t)cores(kind == 1);
    return 0;
}

/* How busy the cores and the memory of a device are, in percent. */
typedef struct {
    int32_t cube, vector, cpu, memory;
    void *more;
} Utilization;

int aclrtGetDeviceUtilizationRate(int32_t device, Utilization *rates)
{
    (void)device;
    *rates = (Utilization){0};
    return 0;
}

/* Whether values saturate or become infinite; the device's own way is infinity. */
static int saturation = 1;

int aclrtSetDeviceSatMode(int mode)
{
    saturation = mode;
    return 0;
}

int aclrtGetDeviceSatMode(int *mode)
{
    *mode = saturation;
    return 0;
}

static int64_t options[MOST_OPTIONS];

int aclrtSetSysParamOpt(int option, int64_t value)
{
    if (option < 0 || option >= MOST_OPTIONS)
        return fail(ERROR_PARAMETER, TEXT_INVALID "There is no system parameter %d.", option);
    options[option] = value;
    return 0;
}

int aclrtCtxSetSysParamOpt(int option, int64_t value)
{
    return aclrtSetSysParamOpt(option, value);
}

int aclrtGetSysParamOpt(int option, int64_t *value)
{
    if (option < 0 || option >= MOST_OPTIONS)
        return fail(ERROR_PARAMETER, TEXT_INVALID "There is no system parameter %d.", option);
    *value = options[option];
    return 0;
}

int aclrtSetOpExecuteTimeOut(uint32_t seconds)
{
    (void)seconds;
    return 0;
}

int aclrtSetOpExecuteTimeOutV2(uint64_t microseconds, uint64_t *actual)
{
    if (actual != NULL)
        *actual = microseconds;
    return 0;
}

int aclrtSetOpWaitTimeout(uint32_t seconds)
{
    (void)seconds;
    return 0;
}
