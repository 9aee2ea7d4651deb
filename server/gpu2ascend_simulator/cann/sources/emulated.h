/* What the parts of the emulated CANN runtime share. Functions return 0, or an error code of the runtime. */
#ifndef GPU2ASCEND_EMULATED_H
#define GPU2ASCEND_EMULATED_H

#include <stddef.h>
#include <stdint.h>

enum {
    ERROR_PARAMETER = 107000,
    ERROR_DEVICE = 107001,
    ERROR_CONTEXT = 107002,
    ERROR_UNSUPPORTED = 207000,
    ERROR_MEMORY = 207001,
    ERROR_INTERNAL = 507899,
    ERROR_TIMEOUT = 507048,
};

enum { MOST_DEVICES = 64, LONGEST_TEXT = 1024 };

/* How the runtime's texts begin. */
#define TEXT_INVALID "EE1001: The argument is invalid.Reason: "
#define TEXT_MEMORY "EL0004: Failed to allocate memory. Possible Cause: Available memory is insufficient. "
#define TEXT_INNER "EE9999: Inner Error! "

/* Notes the text that aclGetRecentErrMsg of this thread gives next, and returns the code. */
int fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The text that this thread noted last. */
const char *last_text(void);

/* A function without a meaning here was called: says so on the standard error as well, once for each name. */
int refuse(const char *name);

/* How many devices the process may use, the one of this thread, and how many bytes each has. */
int device_count(void);
int current_device(void);
size_t device_memory(void);

/* Books bytes of a device's memory; `charge` returns ERROR_MEMORY where there are not so many left. */
int charge(int device, size_t bytes);
void discharge(int device, size_t bytes);

/* Which device of the host the process's current one is. */
int device_of_host(void);

/* Has the thread of a stream run a task after the ones before, and waits for all tasks of a stream. The stream
   keeps the first error that one returns. */
int in_order(void *stream, int (*run)(void *given), void *given);
int settle(void *stream);

#endif
