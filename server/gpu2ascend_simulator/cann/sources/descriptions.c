/* Descriptions of tensors and attributes for operators of graphs, and the one function that runs these. */
#include "emulated.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DIMENSIONS = 32, MOST_OPTIONS = 64, LONGEST = 256 };

typedef struct Description {
    int type, format, dimensions;
    int64_t extents[MOST_DIMENSIONS];
} Description;

typedef struct Buffer {
    void *data;
    size_t size;
} Buffer;

void *aclCreateDataBuffer(void *data, size_t size)
{
    Buffer *made = malloc(sizeof *made);
    if (made != NULL)
        *made = (Buffer){data, size};
    return made;
}

int aclDestroyDataBuffer(void *buffer)
{
    free(buffer);
    return 0;
}

int aclSetTensorShape(Description *description, int count, const int64_t *extents)
{
    if (count < 0 || count > MOST_DIMENSIONS)
        return fail(ERROR_PARAMETER, TEXT_INVALID "A tensor has %d dimensions.", count);
    description->dimensions = count;
    if (count > 0)
        memcpy(description->extents, extents, (size_t)count * sizeof *extents);
    return 0;
}

Description *aclCreateTensorDesc(int type, int count, const int64_t *extents, int format)
{
    Description *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    made->type = type;
    made->format = format;
    aclSetTensorShape(made, count, extents);
    return made;
}

void aclDestroyTensorDesc(Description *description)
{
    free(description);
}

int aclSetTensorFormat(Description *description, int format)
{
    description->format = format;
    return 0;
}

int aclSetTensorPlaceMent(Description *description, int kind)
{
    (void)description, (void)kind;
    return 0;
}

void aclSetTensorDescName(Description *description, const char *name)
{
    (void)description, (void)name;
}

int aclGetTensorDescType(const Description *description)
{
    return description->type;
}

int aclGetTensorDescFormat(const Description *description)
{
    return description->format;
}

size_t aclGetTensorDescNumDims(const Description *description)
{
    return (size_t)description->dimensions;
}

int aclGetTensorDescDimV2(const Description *description, size_t index, int64_t *extent)
{
    if (index >= (size_t)description->dimensions)
        return fail(ERROR_PARAMETER, TEXT_INVALID "A tensor has no dimension %zu.", index);
    *extent = description->extents[index];
    return 0;
}

void *aclopCreateAttr(void)
{
    return malloc(1);
}

void aclopDestroyAttr(void *attributes)
{
    free(attributes);
}

/* Attributes are never read: an operator of a graph is refused by its name. */
#define ATTRIBUTE(name) \
    int aclopSetAttr##name(void) \
    { \
        return 0; \
    }
ATTRIBUTE(Bool)
ATTRIBUTE(Int)
ATTRIBUTE(Float)
ATTRIBUTE(String)
ATTRIBUTE(DataType)
ATTRIBUTE(ListBool)
ATTRIBUTE(ListInt)
ATTRIBUTE(ListFloat)
ATTRIBUTE(ListListInt)

/* Fills the result with one number: it and padding are what the wheel's own C++ asks for messages between ranks. */
static int fill(const Buffer *value, const Buffer *result)
{
    for (size_t at = 0; value->size > 0 && at + value->size <= result->size; at += value->size)
        memcpy((char *)result->data + at, value->data, value->size);
    return 0;
}

static int64_t padding_before(const Buffer *paddings, int dimensions, int dimension)
{
    if (paddings->size == 2 * (size_t)dimensions * sizeof(int32_t))
        return ((const int32_t *)paddings->data)[2 * dimension];
    return ((const int64_t *)paddings->data)[2 * dimension];
}

/* Copies the rows of a tensor into one that has room around it. */
static int pad(const Description *given, const Buffer *const *from, const Description *made, const Buffer *to)
{
    int last = given->dimensions - 1;
    size_t width = from[2]->size;
    int64_t rows = 1;
    if (last < 0 || made->dimensions != given->dimensions || width == 0)
        return fail(ERROR_PARAMETER, TEXT_INVALID "A tensor of %d dimensions cannot be padded.", given->dimensions);
    for (int i = 0; i < last; i++)
        rows *= given->extents[i];
    fill(from[2], to);
    for (int64_t row = 0; row < rows; row++) {
        int64_t rest = row, place = padding_before(from[1], given->dimensions, last), step = made->extents[last];
        for (int i = last - 1; i >= 0; i--) {
            place += (rest % given->extents[i] + padding_before(from[1], given->dimensions, i)) * step;
            rest /= given->extents[i];
            step *= made->extents[i];
        }
        memcpy((char *)to->data + (size_t)place * width, (char *)from[0]->data + (size_t)(row * given->extents[last]) * width,
               (size_t)given->extents[last] * width);
    }
    return 0;
}

int aclopCompileAndExecute(const char *operator, int inputs, const Description *const *given,
                           const Buffer *const *from, int outputs, const Description *const *made, Buffer *const *to)
{
    if (strcmp(operator, "PadV3") == 0 && inputs == 3 && outputs == 1)
        return pad(given[0], from, made[0], to[0]);
    if (strcmp(operator, "Fill") == 0 && inputs == 2 && outputs == 1)
        return fill(from[1], to[0]);
    return fail(ERROR_UNSUPPORTED, "EZ3003: The emulated CANN does not compute the operator %s.", operator);
}

int aclopCompileAndExecuteV2(const char *operator, int inputs, Description **given, Buffer **from, int outputs,
                             Description **made, Buffer **to)
{
    return aclopCompileAndExecute(operator, inputs, (const Description *const *)given, (const Buffer *const *)from,
                                  outputs, (const Description *const *)made, to);
}

static char options[MOST_OPTIONS][LONGEST];

int aclSetCompileopt(int option, const char *value)
{
    if (option < 0 || option >= MOST_OPTIONS || strlen(value) >= LONGEST)
        return fail(ERROR_PARAMETER, TEXT_INVALID "There is no compile option %d of this value.", option);
    strcpy(options[option], value);
    return 0;
}

size_t aclGetCompileoptSize(int option)
{
    (void)option;
    return LONGEST;
}

int aclGetCompileopt(int option, char *value, size_t size)
{
    if (option < 0 || option >= MOST_OPTIONS || size < LONGEST)
        return fail(ERROR_PARAMETER, TEXT_INVALID "There is no compile option %d.", option);
    memcpy(value, options[option], LONGEST);
    return 0;
}
