/* Stacks of the server's threads. The library asks for 100 kB, of which the thread-local arrays of OpenBLAS and METIS alone
   take 90 kB, so that a thread would crash in its first call. It has no option for this, but a program may replace the C
   library's function by its own, and this one never gives less than a megabyte. */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

typedef int (*set_stack_fn)(pthread_attr_t *attributes, size_t size);

int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t size)
{
    static const size_t least = (size_t)1 << 20;
    /* C has no cast from an object's address to a function's. */
    void *found = dlsym(RTLD_NEXT, "pthread_attr_setstacksize");
    set_stack_fn set_stack = NULL;
    memcpy(&set_stack, &found, sizeof set_stack);
    return set_stack != NULL ? set_stack(attributes, size > least ? size : least) : EINVAL;
}
