/* Checks thief.c: works for some seconds and prints {"progress", "lost_to_bursts", "lost_to_others"}: the share of its time in
 * which it got on, and what came in between, up to a longest burst and above it.
 *   robbed SECONDS LONGEST_BURST_US
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { chunks_per_look = 1000 };

static int64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
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
    if (argc != 3) {
        return 2;
    }
    const int64_t length_ns = (int64_t)(atof(argv[1]) * 1e9);
    const int64_t longest_ns = 1000 * atol(argv[2]);
    const int64_t usual = usual_ns();
    int64_t bursts_ns = 0;
    int64_t others_ns = 0;
    const int64_t begin = now_ns();
    int64_t last = begin;
    while (last - begin < length_ns) {
        (void)chunk_ns();
        const int64_t time = now_ns();
        const int64_t lost = time - last - usual;
        if (lost > usual) {
            *(lost <= longest_ns ? &bursts_ns : &others_ns) += lost;
        }
        last = time;
    }
    const double wall = (double)(last - begin);
    printf("{\"progress\": %.6f, \"lost_to_bursts\": %.6f, \"lost_to_others\": %.6f}\n",
           1 - (double)(bursts_ns + others_ns) / wall, (double)bursts_ns / wall, (double)others_ns / wall);
    return 0;
}
