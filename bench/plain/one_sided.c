/* What a plain program sees of passive-target calls: rank 0 calls and flushes, rank 1 waits in MPI_Barrier.
   Usage: one_sided OPERATION BYTES REPETITIONS [N], where OPERATION is put, get or fetch_and_op (of 8 bytes). Prints the
   median in nanoseconds, of single calls each with its flush or of the mean of N in a row, less that of no call. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double median_of(double* times, int count) {
    qsort(times, count, sizeof(double), ascending);
    return times[count / 2];
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const char* operation = argc >= 4 ? argv[1] : "";
    const int bytes = argc >= 4 ? atoi(argv[2]) : 0, repetitions = argc >= 4 ? atoi(argv[3]) : 0;
    const int in_a_row = argc > 4 ? atoi(argv[4]) : 1;
    const int put = !strcmp(operation, "put"), get = !strcmp(operation, "get");
    if ((!put && !get && strcmp(operation, "fetch_and_op")) || bytes < 8 || repetitions < 1 || in_a_row < 1) {
        fprintf(stderr, "Usage: one_sided put|get|fetch_and_op BYTES REPETITIONS [N]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *memory = NULL, *own = calloc(1, bytes);
    double* times = malloc(repetitions * sizeof(double));
    MPI_Win window;
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memset(memory, 0, bytes);
    MPI_Win_lock_all(0, window);
    double empty = 0;
    const int warmup = repetitions / 10 + 20;
    for (int calling = 0; calling < 2; ++calling) {
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = -warmup; rank == 0 && i < repetitions; ++i) {
            const int64_t one = 1;
            int64_t old = 0;
            const double begin = MPI_Wtime();
            for (int k = 0; calling && k < in_a_row; ++k) {
                if (put) {
                    MPI_Put(own, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, window);
                } else if (get) {
                    MPI_Get(own, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, window);
                } else {
                    MPI_Fetch_and_op(&one, &old, MPI_INT64_T, 1, 0, MPI_SUM, window);
                }
                MPI_Win_flush(1, window);
            }
            times[i < 0 ? 0 : i] = (MPI_Wtime() - begin - empty) / (calling ? in_a_row : 1);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (!calling) empty = median_of(times, repetitions);
    }
    if (rank == 0) {
        printf("%.1f\n", 1e9 * median_of(times, repetitions));
        fflush(stdout);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
