/* Preloaded into the probe: every rank works for a while between MPI_Barrier and what it does next (--start mpi-barrier), with
 * noise, and one of them works longer. In simulation that is simulated time, and the same in every run with one seed.
 *   LATE_WORK_NS   that a rank works on average (20000)
 *   LATE_NOISE_NS  standard deviation of that (0), independent between ranks and calls
 *   LATE_SEED      of the noise (1)
 *   LATE_RANK      that works longer, none if it is not set
 *   LATE_NS        by this
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { most_ranks = 4096 };

static long number(const char* name, long otherwise) {
    const char* text = getenv(name);
    return text != NULL ? atol(text) : otherwise;
}

/* splitmix64 */
static uint64_t mixed(uint64_t x) {
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

/* Nearly normal, deviation 1: twelve uniform numbers less their mean. */
static double noise(uint64_t seed, uint64_t rank, uint64_t call) {
    double sum = -6;
    uint64_t state = mixed(mixed(mixed(seed) + rank) + call);
    for (int i = 0; i < 12; ++i) {
        state = mixed(state);
        sum += (double)(state >> 11) / 9007199254740992.0;
    }
    return sum;
}

static void work_for(long ns) {
    static int (*simulated)(const struct timespec*, struct timespec*);
    static int known = 0;
    if (!known) {
        simulated = (int (*)(const struct timespec*, struct timespec*))dlsym(RTLD_DEFAULT, "smpi_nanosleep");
        known = 1;
    }
    if (simulated != NULL) {
        const struct timespec time = {ns / 1000000000, ns % 1000000000};
        simulated(&time, NULL);
        return;
    }
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < ns);
}

int MPI_Barrier(long comm) {
    static int (*real)(long);
    static int (*rank_in)(long, int*);
    static uint64_t calls[most_ranks]; /* of ranks that may share a process */
    if (real == NULL) {
        rank_in = (int (*)(long, int*))dlsym(RTLD_NEXT, "PMPI_Comm_rank");
        real = (int (*)(long))dlsym(RTLD_NEXT, "PMPI_Barrier");
    }
    const int code = real(comm);
    int rank = 0;
    rank_in(comm, &rank);
    const double ns = (double)number("LATE_WORK_NS", 20000) +
                      (double)number("LATE_NOISE_NS", 0) *
                          noise((uint64_t)number("LATE_SEED", 1), (uint64_t)rank, calls[rank % most_ranks]++) +
                      (double)(rank == number("LATE_RANK", -1) ? number("LATE_NS", 0) : 0);
    if (ns >= 1) {
        work_for((long)ns);
    }
    return code;
}
