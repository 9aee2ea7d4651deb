/* Profiling and dumps: nothing is measured, and programs may ask for it. */
#include "emulated.h"

#define IDLE(name) \
    int name(void) \
    { \
        return 0; \
    }
IDLE(aclmdlInitDump)
IDLE(aclmdlSetDump)
IDLE(aclmdlFinalizeDump)
IDLE(MsprofRegisterCallback)
IDLE(MsprofReportApi)
IDLE(MsprofReportCompactInfo)
IDLE(MsprofReportAdditionalInfo)

uint64_t MsprofGetHashId(const char *text, size_t size)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t at = 0; at < size; at++)
        hash = (hash ^ (unsigned char)text[at]) * 1099511628211u;
    return hash;
}

uint64_t MsprofSysCycleTime(void)
{
    static uint64_t cycles;
    return __atomic_add_fetch(&cycles, 1, __ATOMIC_RELAXED);
}

/* What version CANN has is not known; the wheel's own code knows what that means. */
int aclsysGetCANNVersion(int package, void *version)
{
    (void)package, (void)version;
    return ERROR_PARAMETER;
}
