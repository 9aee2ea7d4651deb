/* A torch that was built for CUDA, and is used without. */
#include <dlfcn.h>
#include <stddef.h>

/* A std::unordered_set of libstdc++. */
struct set {
    void **buckets;
    size_t count;
    void *first;
    size_t size;
    float load;
    size_t next_size;
    void *only_bucket;
};

/* The names of options that the allocators of devices have told torch: a function gives them, or, in older releases, the
   variable in it is shared. */
#define NAMES "N3c1016CachingAllocator26AcceleratorAllocatorConfig14getMutableKeysB5cxx11Ev"
static const char function[] = "_Z" NAMES, variable[] = "_ZZ" NAMES "E4keys";

static struct set *told_names(void *cuda)
{
    void *c10 = dlopen("libc10.so", RTLD_LAZY | RTLD_NOLOAD);
    struct set *(*names)(void) = c10 == NULL ? NULL : dlsym(c10, function);
    return names == NULL ? dlsym(cuda, variable) : names();
}

/* A wheel that tells torch the names which CUDA's allocator has told it ends the process. This library is loaded after
   CUDA's, and before the wheel's. */
__attribute__((constructor)) static void forget_names(void)
{
    void *cuda = dlopen("libc10_cuda.so", RTLD_LAZY | RTLD_NOLOAD);
    struct set *told = cuda == NULL ? NULL : told_names(cuda);
    if (told != NULL)
        *told = (struct set){.buckets = &told->only_bucket, .count = 1, .load = 1.0f};
}
