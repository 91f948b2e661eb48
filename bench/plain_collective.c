/* What a plain program sees of a collective: the median over CALLS of the slowest rank's time of a call after a barrier.
   Usage: plain_collective OPERATION BYTES CALLS, where OPERATION is bcast, allreduce, alltoall, allgather or
   reduce_scatter and BYTES are those that fathom counts. Prints nanoseconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const char* operation = argv[1];
    const int bytes = atoi(argv[2]), calls = atoi(argv[3]);
    int rank = 0, procs = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    char *sent = calloc(procs, bytes + 8), *received = calloc(procs, bytes + 8);
    double* times = malloc(calls * sizeof(double));
    int* counts = malloc(procs * sizeof(int));
    for (int i = 0; i < procs; ++i) counts[i] = bytes / 8;
    for (int i = 0; i < calls; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        if (!strcmp(operation, "bcast")) MPI_Bcast(sent, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        if (!strcmp(operation, "allreduce"))
            MPI_Allreduce(sent, received, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (!strcmp(operation, "alltoall"))
            MPI_Alltoall(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, MPI_COMM_WORLD);
        if (!strcmp(operation, "allgather"))
            MPI_Allgather(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, MPI_COMM_WORLD);
        if (!strcmp(operation, "reduce_scatter"))
            MPI_Reduce_scatter(sent, received, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        const double took = (MPI_Wtime() - begin) * 1e9;
        MPI_Reduce(&took, &times[i], 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    }
    if (rank == 0) {
        qsort(times, calls, sizeof(double), ascending);
        printf("%.1f\n", times[calls / 2]);
    }
    MPI_Finalize();
    return 0;
}
