/* For jobs with more ranks than cores: a library that polls for messages keeps its core until the kernel takes it away,
   milliseconds later. MPICH has no option to yield instead, and Open MPI yields only where its launcher knows of it. With
   FATHOM_PATIENT in the environment both do. For tests that judge what is done, not how long it takes: preloaded, or linked
   into a program. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

static bool wanted(void) {
    static int known = -1;
    if (known < 0) known = getenv("FATHOM_PATIENT") != NULL;
    return known;
}

/* Of UCX, which MPICH calls whenever it looks for messages: the number of events. */
unsigned ucp_worker_progress(void* worker) {
    static unsigned (*next)(void*);
    if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
    const unsigned events = next(worker);
    if (events == 0 && wanted()) sched_yield();
    return events;
}

/* Of Open MPI, which calls it once as it starts. */
bool opal_progress_set_yield_when_idle(bool yield) {
    static bool (*next)(bool);
    if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "opal_progress_set_yield_when_idle");
    return next(yield || wanted());
}
