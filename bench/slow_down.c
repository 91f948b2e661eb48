/* Preloaded into the probe by bench/gate.py: stands between it and its MPI library, whichever that is (every argument takes
 * one register or one word of the stack, so handles of either kind pass), and makes calls take longer by a known time.
 *   SLOW_DOWN  for instance "allreduce:8:37,allreduce:1024:150": an MPI_Allreduce of 8 bytes takes 37 ns longer on every
 *              rank. The others are bcast, reduce, alltoall and send (a message of a ping-pong).
 *   OMPI_MCA_slow_down, MPIR_CVAR_SLOW_DOWN   the same, and preferred: fathom takes them for variables of the library, so
 *              that 'run --against' starts the baseline without them.
 * The time is spent in arithmetic after the call (before it for a send) whose speed is measured at load: reading a clock
 * would take as long as the shorter delays. With delays of 0 ns, runs with and without a slow-down differ in nothing else.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { most_delays = 64, longest_name = 16 };

struct Delay {
    char call[longest_name];
    long bytes;
    long steps;
};

static struct Delay delays[most_delays];
static int known_delays = 0;
static volatile unsigned long sink = 0;

static void work(long steps) {
    unsigned long x = sink;
    for (long i = 0; i < steps; ++i) {
        x = x * 6364136223846793005UL + 1442695040888963407UL; /* each step needs the one before */
    }
    sink = x;
}

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

/* The fastest of many: the others were disturbed. */
static double ns_by_step(void) {
    const long steps = 20000;
    double fastest = 1e300;
    for (int i = 0; i < 200; ++i) {
        const double begin = now_ns();
        work(steps);
        const double taken = (now_ns() - begin) / (double)steps;
        fastest = taken < fastest ? taken : fastest;
    }
    return fastest;
}

__attribute__((constructor)) static void read_delays(void) {
    static const char* const names[] = {"OMPI_MCA_slow_down", "MPIR_CVAR_SLOW_DOWN", "SLOW_DOWN"};
    const char* text = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && text == NULL; ++i) {
        text = getenv(names[i]);
    }
    if (text == NULL || *text == '\0') {
        return;
    }
    const double step_ns = ns_by_step();
    char* copy = strdup(text);
    char* rest = NULL;
    for (char* word = strtok_r(copy, ",", &rest); word != NULL && known_delays < most_delays; word = strtok_r(NULL, ",", &rest)) {
        char* parts = NULL;
        const char* call = strtok_r(word, ":", &parts);
        const char* bytes = strtok_r(NULL, ":", &parts);
        const char* ns = strtok_r(NULL, ":", &parts);
        if (call == NULL || bytes == NULL || ns == NULL) {
            abort();
        }
        struct Delay* delay = &delays[known_delays++];
        strncpy(delay->call, call, longest_name - 1);
        delay->bytes = atol(bytes);
        delay->steps = (long)(atof(ns) / step_ns + 0.5);
    }
    free(copy);
}

static void slow_down(const char* call, long count, long type) {
    static int (*size_of)(long, int*);
    if (size_of == NULL) {
        size_of = (int (*)(long, int*))dlsym(RTLD_NEXT, "PMPI_Type_size");
    }
    int size = 0;
    size_of(type, &size);
    const long bytes = (long)(int)count * size;
    for (int i = 0; i < known_delays; ++i) {
        if (delays[i].bytes == bytes && strcmp(delays[i].call, call) == 0) {
            work(delays[i].steps);
            return;
        }
    }
}

#define REAL(name, ...)                                               \
    static int (*real)(__VA_ARGS__);                                  \
    if (real == NULL) {                                               \
        real = (int (*)(__VA_ARGS__))dlsym(RTLD_NEXT, "PMPI_" #name); \
    }

int MPI_Allreduce(long send, long receive, long count, long type, long op, long comm) {
    REAL(Allreduce, long, long, long, long, long, long)
    const int code = real(send, receive, count, type, op, comm);
    slow_down("allreduce", count, type);
    return code;
}

int MPI_Bcast(long data, long count, long type, long root, long comm) {
    REAL(Bcast, long, long, long, long, long)
    const int code = real(data, count, type, root, comm);
    slow_down("bcast", count, type);
    return code;
}

int MPI_Reduce(long send, long receive, long count, long type, long op, long root, long comm) {
    REAL(Reduce, long, long, long, long, long, long, long)
    const int code = real(send, receive, count, type, op, root, comm);
    slow_down("reduce", count, type);
    return code;
}

int MPI_Alltoall(long send, long count, long type, long receive, long receive_count, long receive_type, long comm) {
    REAL(Alltoall, long, long, long, long, long, long, long)
    const int code = real(send, count, type, receive, receive_count, receive_type, comm);
    slow_down("alltoall", count, type);
    return code;
}

int MPI_Send(long data, long count, long type, long to, long tag, long comm) {
    REAL(Send, long, long, long, long, long, long)
    slow_down("send", count, type);
    return real(data, count, type, to, tag, comm);
}
