/* What a plain program sees of a message between ranks 0 and 1: half the median round trip.
   Usage: pingpong BYTES REPETITIONS [N]. A repetition is one round trip, or the mean of N in a row. Prints nanoseconds,
   less those of two time stamps with nothing between them. */
#include <mpi.h>
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
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int bytes = argc >= 3 ? atoi(argv[1]) : -1, repetitions = argc >= 3 ? atoi(argv[2]) : 0;
    const int in_a_row = argc > 3 ? atoi(argv[3]) : 1;
    if (bytes < 0 || repetitions < 1 || in_a_row < 1) {
        fprintf(stderr, "Usage: pingpong BYTES REPETITIONS [N]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    char *sent = malloc(bytes + 1), *received = malloc(bytes + 1);
    memset(sent, 1, bytes + 1);
    memset(received, 0, bytes + 1);
    double* times = malloc(repetitions * sizeof(double));
    for (int i = 0; i < repetitions; ++i) {
        const double begin = MPI_Wtime();
        times[i] = MPI_Wtime() - begin;
    }
    const double empty = median_of(times, repetitions);
    const int warmup = repetitions / 10 + 20;
    for (int i = -warmup; i < repetitions && rank < 2; ++i) {
        const double begin = MPI_Wtime();
        for (int k = 0; k < in_a_row; ++k) {
            if (rank == 0) {
                MPI_Send(sent, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
                MPI_Recv(received, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else {
                MPI_Recv(received, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(sent, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
            }
        }
        times[i < 0 ? 0 : i] = (MPI_Wtime() - begin - empty) / in_a_row;
    }
    if (rank == 0) {
        printf("%.1f\n", 1e9 * median_of(times, repetitions) / 2);
        fflush(stdout);
    }
    MPI_Finalize();
    return 0;
}
