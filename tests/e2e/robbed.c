/* Checks thief.c: works for some seconds and prints {"progress", "wall_ns", "own_ns", "thief_ns"}: the share of its time in
 * which it got on, that time, and what its main thread and all other threads of it had of a processor, by the kernel's count.
 *   robbed SECONDS
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { chunks_per_look = 1000 };

static int64_t reading_ns(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int64_t now_ns(void) {
    return reading_ns(CLOCK_MONOTONIC);
}

/* About a microsecond of work, and how long it took. */
static int64_t chunk_ns(void) {
    static uint64_t value = 1;
    const int64_t begin = now_ns();
    for (int i = 0; i < 800; ++i) {
        value = value * 6364136223846793005U + 1;
        __asm__ volatile("" : "+r"(value));
    }
    return now_ns() - begin;
}

static int by_size(const void* a, const void* b) {
    const int64_t left = *(const int64_t*)a;
    const int64_t right = *(const int64_t*)b;
    return (left > right) - (left < right);
}

static int64_t usual_ns(void) {
    int64_t times[chunks_per_look];
    for (int i = 0; i < chunks_per_look; ++i) {
        times[i] = chunk_ns();
    }
    qsort(times, chunks_per_look, sizeof times[0], by_size);
    return times[chunks_per_look / 2];
}

int main(int argc, char** argv) {
    if (argc != 2) {
        return 2;
    }
    const int64_t length_ns = (int64_t)(atof(argv[1]) * 1e9);
    const int64_t usual = usual_ns();
    int64_t lost_ns = 0;
    const int64_t own_before = reading_ns(CLOCK_THREAD_CPUTIME_ID);
    const int64_t all_before = reading_ns(CLOCK_PROCESS_CPUTIME_ID);
    const int64_t begin = now_ns();
    int64_t last = begin;
    while (last - begin < length_ns) {
        (void)chunk_ns();
        const int64_t time = now_ns();
        const int64_t lost = time - last - usual;
        lost_ns += lost > usual ? lost : 0;
        last = time;
    }
    const int64_t all = reading_ns(CLOCK_PROCESS_CPUTIME_ID) - all_before;
    const int64_t own = reading_ns(CLOCK_THREAD_CPUTIME_ID) - own_before;
    const double wall = (double)(last - begin);
    printf("{\"progress\": %.6f, \"wall_ns\": %.0f, \"own_ns\": %lld, \"thief_ns\": %lld}\n", 1 - (double)lost_ns / wall, wall,
           (long long)own, (long long)(all - own));
    return 0;
}
