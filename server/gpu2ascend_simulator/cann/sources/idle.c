/* Profiling and dumps: nothing is measured, and programs may ask for it. */
#include "emulated.h"

#include <string.h>

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
IDLE(aclprofInit)
IDLE(aclprofSetConfig)
IDLE(aclprofWarmup)
IDLE(aclprofStart)
IDLE(aclprofStop)
IDLE(aclprofFinalize)
IDLE(aclprofDestroyConfig)

void *aclprofCreateConfig(void)
{
    static char configuration;
    return &configuration;
}

/* A wheel of an old release registers operators of graphs when it is loaded: C++ constructors of a registrar, and of
   a text, which is a shared pointer. */
IDLE(_ZN2ge23OperatorCreatorRegisterC1EPKcRKSt8functionIFNS_8OperatorERKNS_12AscendStringEEE)

int _ZN2ge12AscendStringC1EPKc(void *text)
{
    memset(text, 0, 2 * sizeof(void *));
    return 0;
}

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

/* The answer begins with the version as text. It is one that has what the emulated functions do; what version
   the driver or a part of CANN has is not known. */
int aclsysGetCANNVersion(int package, char *version)
{
    if (package != 0)
        return ERROR_PARAMETER;
    strcpy(version, "8.5.0");
    return 0;
}
