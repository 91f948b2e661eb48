/* Preloaded by tests: a thread within one rank that takes a known share of the processor of its main thread.
 *   THIEF_RANK      rank that is robbed (OMPI_COMM_WORLD_RANK or PMI_RANK); without one: every process
 *   THIEF_BUSY_US   it has the processor for so long,
 *   THIEF_SLEEP_US  then leaves it alone for so long
 *   THIEF_CORE      processor to which it binds the main thread and itself; without it, it waits until the main thread is
 *                   bound to one
 *   THIEF_FILE      gets {"share", "busy_ns", "wall_ns", "bursts", "core"} at exit: what it truly took
 * Each burst is so long in the thief's own processor time, and they begin at equal intervals: the share is busy / (busy +
 * sleep), or what the file says where the thief itself was robbed. Changing from thread to thread takes the main thread
 * another 2 us or so a burst: with bursts of 200 us and more it loses the share that the file says to 2 %.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static pthread_t thief;
static atomic_int begun = 0;
static atomic_int ended = 0;
static long bursts = 0;
static int core = -1;
static long long begin_ns = 0;
static long long busy_before_ns = 0; /* until it began */

static long number(const char* name, long otherwise) {
    const char* text = getenv(name);
    return text != NULL ? atol(text) : otherwise;
}

static long long reading(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void sleep_until(long long time_ns) {
    const struct timespec time = {time_ns / 1000000000, time_ns % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

/* The one processor that the main thread is bound to, or -1. */
static int core_of_main_thread(void) {
    cpu_set_t allowed;
    if (sched_getaffinity(getpid(), sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) != 1) {
        return -1;
    }
    int found = 0;
    while (!CPU_ISSET(found, &allowed)) {
        ++found;
    }
    return found;
}

static void bind(pid_t thread, int to) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(to, &one);
    sched_setaffinity(thread, sizeof one, &one);
}

static void* steal(void* nothing) {
    const long long busy_ns = 1000LL * number("THIEF_BUSY_US", 300);
    const long long period_ns = busy_ns + 1000LL * number("THIEF_SLEEP_US", 1200);
    while (core < 0 && !atomic_load(&ended)) {
        usleep(1000);
        core = core_of_main_thread();
    }
    bind(0, core);
    prctl(PR_SET_TIMERSLACK, 1UL);
    busy_before_ns = reading(CLOCK_THREAD_CPUTIME_ID);
    begin_ns = reading(CLOCK_MONOTONIC);
    atomic_store(&begun, 1);
    long long next_ns = begin_ns;
    while (!atomic_load(&ended)) {
        ++bursts;
        /* By the sum: falling asleep and waking up take time as well. */
        while (reading(CLOCK_THREAD_CPUTIME_ID) - busy_before_ns < bursts * busy_ns) {
        }
        next_ns += period_ns;
        sleep_until(next_ns);
    }
    return nothing;
}

/* Before all others where that is allowed, so that it wakes up in time. */
static void start(void) {
    const struct sched_param priority = {.sched_priority = 10};
    pthread_attr_t before_others;
    pthread_attr_init(&before_others);
    pthread_attr_setinheritsched(&before_others, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&before_others, SCHED_FIFO);
    pthread_attr_setschedparam(&before_others, &priority);
    if (pthread_create(&thief, &before_others, steal, NULL) != 0) {
        pthread_create(&thief, NULL, steal, NULL);
    }
    pthread_attr_destroy(&before_others);
}

__attribute__((constructor)) static void come(void) {
    const long rank = number("OMPI_COMM_WORLD_RANK", number("PMI_RANK", -1));
    if (getenv("THIEF_FILE") == NULL || rank != number("THIEF_RANK", rank)) {
        return;
    }
    core = (int)number("THIEF_CORE", -1);
    if (core >= 0) {
        bind(getpid(), core);
    }
    start();
}

__attribute__((destructor)) static void write_file(void) {
    if (!atomic_load(&begun)) {
        return;
    }
    clockid_t own;
    pthread_getcpuclockid(thief, &own);
    const long long wall_ns = reading(CLOCK_MONOTONIC) - begin_ns;
    const long long busy_ns = reading(own) - busy_before_ns;
    atomic_store(&ended, 1);
    FILE* file = fopen(getenv("THIEF_FILE"), "w");
    if (file != NULL) {
        fprintf(file, "{\"share\": %.6f, \"busy_ns\": %lld, \"wall_ns\": %lld, \"bursts\": %ld, \"core\": %d}\n",
                (double)busy_ns / (double)wall_ns, busy_ns, wall_ns, bursts, core);
        fclose(file);
    }
}
