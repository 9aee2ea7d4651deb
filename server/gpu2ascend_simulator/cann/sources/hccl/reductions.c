/* Sums and other reductions of numbers of HCCL's types; halves are added up in single precision. */
#include "reductions.h"

#include <string.h>

enum { SUM, PRODUCT, MOST, LEAST };
enum { INT8, INT16, INT32, HALF, SINGLE, INT64, BRAIN = 11 };

static const char *const names[] = {"int8",   "int16",  "int32",  "float16", "float32", "int64",
                                    "uint64", "uint8",  "uint16", "uint32",  "float64", "bfloat16"};
static const unsigned char sizes[] = {1, 2, 4, 2, 4, 8, 8, 1, 2, 4, 8, 2, 16, 0, 1, 1, 1, 1};

size_t size_of_type(uint32_t type)
{
    return type < sizeof sizes ? sizes[type] : 0;
}

const char *name_of_type(uint32_t type)
{
    return type < sizeof names / sizeof *names ? names[type] : "another type";
}

int is_reduced(uint32_t type, uint32_t op)
{
    if (op == PRODUCT && (type == INT16 || type == BRAIN))
        return 0;
    return type <= INT64 || type == BRAIN;
}

static float of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float of_half(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16, exponent = half >> 10 & 31, digits = half & 0x3ffu;
    if (exponent == 31)
        return of_bits(sign | 0x7f800000u | digits << 13);
    if (exponent == 0)
        return (sign != 0 ? -1.0f : 1.0f) * (float)digits * 0x1p-24f;
    return of_bits(sign | (exponent + 112) << 23 | digits << 13);
}

static uint16_t to_half(float value)
{
    uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000u, rest = bits & 0x7fffffffu;
    if (rest > 0x7f800000u)
        return (uint16_t)(sign | 0x7e00u);
    if (rest >= 0x477ff000u)
        return (uint16_t)(sign | 0x7c00u);
    if (rest < 0x38800000u) /* too small for a leading digit: the unit of 2^-24 rounds it */
        return (uint16_t)(sign | (bits_of(of_bits(rest) + 0.5f) - 0x3f000000u));
    return (uint16_t)(sign | ((rest + 0xfffu + (rest >> 13 & 1) - 0x38000000u) >> 13));
}

static float of_brain(uint16_t brain)
{
    return of_bits((uint32_t)brain << 16);
}

static uint16_t to_brain(float value)
{
    uint32_t bits = bits_of(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return (uint16_t)(bits >> 16 | 0x40u);
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

#define AS_IT_IS(value) (value)
#define REDUCE(TYPE, WIDE, OPEN, CLOSE) \
    for (uint64_t i = 0; i < count; i++) { \
        WIDE total = OPEN(((const TYPE *)parts[0])[i]); \
        for (uint32_t rank = 1; rank < ranks; rank++) { \
            WIDE term = OPEN(((const TYPE *)parts[rank])[i]); \
            if (op == SUM) \
                total = (WIDE)(total + term); \
            else if (op == PRODUCT) \
                total = (WIDE)(total * term); \
            else if (op == MOST ? term > total : term < total) \
                total = term; \
        } \
        ((TYPE *)to)[i] = CLOSE(total); \
    } \
    break

void reduce(void *to, void *const *parts, uint32_t ranks, uint64_t count, uint32_t type, uint32_t op)
{
    switch (type) {
    case INT8:
        REDUCE(int8_t, int8_t, AS_IT_IS, AS_IT_IS);
    case INT16:
        REDUCE(int16_t, int16_t, AS_IT_IS, AS_IT_IS);
    case INT32:
        REDUCE(int32_t, int32_t, AS_IT_IS, AS_IT_IS);
    case INT64:
        REDUCE(int64_t, int64_t, AS_IT_IS, AS_IT_IS);
    case SINGLE:
        REDUCE(float, float, AS_IT_IS, AS_IT_IS);
    case HALF:
        REDUCE(uint16_t, float, of_half, to_half);
    case BRAIN:
        REDUCE(uint16_t, float, of_brain, to_brain);
    }
}
