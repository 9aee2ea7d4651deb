/* Reductions of numbers of HCCL's types. */
#ifndef GPU2ASCEND_REDUCTIONS_H
#define GPU2ASCEND_REDUCTIONS_H

#include <stddef.h>
#include <stdint.h>

size_t size_of_type(uint32_t type);
const char *name_of_type(uint32_t type);

/* Whether HCCL has the reduction for the type. */
int is_reduced(uint32_t type, uint32_t op);

/* Reduces the numbers of all ranks, in their order. */
void reduce(void *to, void *const *parts, uint32_t ranks, uint64_t count, uint32_t type, uint32_t op);

#endif
