/* What a plain program measures of passive-target calls: rank 0 calls and flushes, rank 1 waits in MPI_Barrier.
   Usage: one_sided BYTES CALLS; prints the medians of MPI_Get of BYTES and of MPI_Fetch_and_op, in nanoseconds, minus
   that of no call. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int ascending(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int bytes = atoi(argv[1]), calls = atoi(argv[2]);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *memory = NULL, *result = calloc(1, bytes);
    double *times = malloc(calls * sizeof(double)), empty = 0;
    MPI_Win window;
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    for (int kind = 0; kind < 3; ++kind) {
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; rank == 0 && i < calls; ++i) {
            const int64_t one = 1;
            int64_t old = 0;
            const double begin = MPI_Wtime();
            if (kind == 1) MPI_Get(result, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, window);
            if (kind == 2) MPI_Fetch_and_op(&one, &old, MPI_INT64_T, 1, 0, MPI_SUM, window);
            if (kind > 0) MPI_Win_flush(1, window);
            times[i] = (MPI_Wtime() - begin) * 1e9;
        }
        MPI_Barrier(MPI_COMM_WORLD);
        qsort(times, calls, sizeof(double), ascending);
        if (kind == 0) empty = times[calls / 2];
        if (rank == 0 && kind > 0) printf("%.1f\n", times[calls / 2] - empty);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
