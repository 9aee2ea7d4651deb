/* Errors: each thread has the code and the text of its last one. */
#include "emulated.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NAMES = 256 };

static __thread char text[LONGEST_TEXT];
static __thread int last;

int fail(int code, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    last = code;
    return code;
}

const char *last_text(void)
{
    return text;
}

static int is_new(const char *name)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static const char *names[MOST_NAMES];
    static int count;
    int known = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < count; i++)
        known |= strcmp(names[i], name) == 0;
    if (!known && count < MOST_NAMES)
        names[count++] = name;
    pthread_mutex_unlock(&lock);
    return !known;
}

int refuse(const char *name)
{
    if (is_new(name))
        fprintf(stderr, "gpu2ascend: the emulated CANN does not have %s, which was called.\n", name);
    return fail(ERROR_UNSUPPORTED, "The emulated CANN does not have %s.", name);
}

const char *aclGetRecentErrMsg(void)
{
    static __thread char given[LONGEST_TEXT];
    if (text[0] == 0)
        return NULL;
    memcpy(given, text, sizeof text);
    text[0] = 0;
    return given;
}

int aclrtPeekAtLastError(int level)
{
    (void)level;
    return last;
}

int aclrtGetLastError(int level)
{
    int code = aclrtPeekAtLastError(level);
    last = 0;
    return code;
}

void aclAppLog(int level, const char *function, const char *file, uint32_t line, const char *format, ...)
{
    (void)level, (void)function, (void)file, (void)line, (void)format;
}
