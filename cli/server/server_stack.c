/* Room for the server's threads. The library asks for threads of 100 kB, and the thread-local arrays of OpenBLAS and METIS
   alone take 90 kB of that, so that a thread would end in its first call. It has no option for it; a program may put its
   own function in the place of the C library's, though, and this one never gives less than a megabyte. */
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
