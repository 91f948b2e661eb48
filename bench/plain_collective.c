/* What a plain program sees of a collective: the median over CALLS of the slowest rank's time of a call after a barrier.
   Usage: plain_collective OPERATION BYTES CALLS, where OPERATION is bcast, allreduce, alltoall, allgather or
   reduce_scatter and BYTES are those that fathom counts. Prints nanoseconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { warmup_calls = 20 };

static int ascending(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, procs = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    const char* operation = argc == 4 ? argv[1] : "";
    const int bytes = argc == 4 ? atoi(argv[2]) : -1, calls = argc == 4 ? atoi(argv[3]) : 0;
    const char* known[] = {"bcast", "allreduce", "alltoall", "allgather", "reduce_scatter"};
    int number = -1;
    for (int i = 0; i < 5; ++i) {
        number = strcmp(operation, known[i]) == 0 ? i : number;
    }
    if (number < 0 || bytes < 0 || calls < 1) {
        fprintf(stderr, "Usage: plain_collective bcast|allreduce|alltoall|allgather|reduce_scatter BYTES CALLS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    char* sent = calloc(procs, bytes + 8);
    char* received = calloc(procs, bytes + 8);
    double* times = malloc(calls * sizeof(double));
    int* counts = malloc(procs * sizeof(int));
    for (int i = 0; i < procs; ++i) {
        counts[i] = bytes / 8;
    }
    for (int i = -warmup_calls; i < calls; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        switch (number) {
            case 0: MPI_Bcast(sent, bytes, MPI_BYTE, 0, MPI_COMM_WORLD); break;
            case 1: MPI_Allreduce(sent, received, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); break;
            case 2: MPI_Alltoall(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, MPI_COMM_WORLD); break;
            case 3: MPI_Allgather(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, MPI_COMM_WORLD); break;
            default: MPI_Reduce_scatter(sent, received, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        }
        const double took = (MPI_Wtime() - begin) * 1e9;
        MPI_Reduce(&took, &times[i < 0 ? 0 : i], 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    }
    if (rank == 0) {
        qsort(times, calls, sizeof(double), ascending);
        printf("%.1f\n", times[calls / 2]);
        fflush(stdout);
    }
    MPI_Finalize();
    return 0;
}
