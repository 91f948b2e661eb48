/* Preloaded into the probe by tests: stands between it and MPI_Allreduce to slow it down, to send a signal to a rank in
 * the middle of a chosen point, or to spoil its data. Knows no MPI library: all arguments fit registers.
 *   MEDDLE_SLEEP_US  sleep before every call
 *   MEDDLE_SIGNAL    signal that rank MEDDLE_RANK sends to itself in call number MEDDLE_CALL with MEDDLE_COUNT elements
 *   MEDDLE_SPOIL     call number with MEDDLE_COUNT elements whose result is spoilt on rank MEDDLE_RANK
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

static long number(const char* name, long otherwise) {
    const char* text = getenv(name);
    return text != NULL ? atol(text) : otherwise;
}

static long rank(void) {
    return number("OMPI_COMM_WORLD_RANK", number("PMI_RANK", -1));
}

static void pause_for(long us) {
    const struct timespec pause = {us / 1000000, us % 1000000 * 1000};
    if (us > 0) {
        nanosleep(&pause, NULL);
    }
}

int MPI_Allreduce(long send, char* receive, long count, long type, long op, long comm) {
    static int (*real)(long, char*, long, long, long, long);
    static long calls = 0;
    if (real == NULL) {
        real = (int (*)(long, char*, long, long, long, long))dlsym(RTLD_NEXT, "PMPI_Allreduce");
    }
    pause_for(number("MEDDLE_SLEEP_US", 0));
    const int chosen = (int)count == number("MEDDLE_COUNT", -1) && rank() == number("MEDDLE_RANK", -2);
    calls += chosen;
    if (chosen && calls == number("MEDDLE_CALL", -1)) {
        raise((int)number("MEDDLE_SIGNAL", 0));
    }
    const int code = real(send, receive, count, type, op, comm);
    if (chosen && calls == number("MEDDLE_SPOIL", -1)) {
        receive[0] ^= 0x55;
    }
    return code;
}
