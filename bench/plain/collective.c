/* What a plain program sees of a collective: the median over repetitions of the slowest rank's time.
   Usage: collective OPERATION BYTES REPETITIONS [N], where OPERATION is barrier, bcast, allreduce, alltoall, allgather or
   reduce_scatter and BYTES are those that fathom counts. A repetition is one call, or the mean of N calls in a row, that all
   ranks begin at the same time of the host's clock, since a barrier lets one go before the other. Hosts have no clock in
   common, so ranks on several of them start after a barrier nevertheless. Prints nanoseconds, less those of two time stamps
   with nothing between them. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Seconds from announcing a start to it: longer than the announcement takes. */
static const double ahead = 5e-6;

/* That of all ranks; MPI_Wtime may count from each rank's start. */
static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

static int ascending(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double median_of(double* times, int count) {
    qsort(times, count, sizeof(double), ascending);
    return times[count / 2];
}

static char *sent, *received;
static int bytes, *counts;

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
static void bcast(void) { MPI_Bcast(sent, bytes, MPI_BYTE, 0, MPI_COMM_WORLD); }
static void allreduce(void) { MPI_Allreduce(sent, received, bytes / 4, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); }
static void alltoall(void) { MPI_Alltoall(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, MPI_COMM_WORLD); }
static void allgather(void) { MPI_Allgather(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, MPI_COMM_WORLD); }
static void reduce_scatter(void) { MPI_Reduce_scatter(sent, received, counts, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); }

static const struct {
    const char* name;
    void (*call)(void);
} operations[] = {{"barrier", barrier},   {"bcast", bcast},         {"allreduce", allreduce},
                  {"alltoall", alltoall}, {"allgather", allgather}, {"reduce_scatter", reduce_scatter}};

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, procs = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    const char* operation = argc >= 4 ? argv[1] : "";
    bytes = argc >= 4 ? atoi(argv[2]) : -1;
    const int repetitions = argc >= 4 ? atoi(argv[3]) : 0, in_a_row = argc > 4 ? atoi(argv[4]) : 1;
    void (*call)(void) = NULL;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; ++i) {
        call = strcmp(operation, operations[i].name) == 0 ? operations[i].call : call;
    }
    if (!call || bytes < 0 || repetitions < 1 || in_a_row < 1) {
        fprintf(stderr, "Usage: collective OPERATION BYTES REPETITIONS [N]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    sent = calloc(procs, bytes + 8);
    received = calloc(procs, bytes + 8);
    memset(received, 1, (size_t)procs * (bytes + 8));
    memset(sent, 0, (size_t)procs * (bytes + 8));
    counts = malloc(procs * sizeof(int));
    for (int i = 0; i < procs; ++i) counts[i] = bytes / 4;
    double* times = malloc(repetitions * sizeof(double));
    double* slowest = malloc(repetitions * sizeof(double));
    for (int i = 0; i < repetitions; ++i) {
        const double begin = now();
        times[i] = now() - begin;
    }
    const double empty = median_of(times, repetitions);
    MPI_Comm host;
    int here = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &here);
    const int warmup = repetitions / 10 + 20;
    for (int i = -warmup; i < repetitions; ++i) {
        double start = now() + ahead;
        if (here == procs) {
            MPI_Bcast(&start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        } else {
            MPI_Barrier(MPI_COMM_WORLD);
            start = 0;
        }
        double begin = now();
        while (begin < start) begin = now();
        for (int k = 0; k < in_a_row; ++k) call();
        times[i < 0 ? 0 : i] = (now() - begin - empty) / in_a_row;
    }
    MPI_Reduce(times, slowest, repetitions, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%.1f\n", 1e9 * median_of(slowest, repetitions));
        fflush(stdout);
    }
    MPI_Finalize();
    return 0;
}
