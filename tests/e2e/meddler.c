/* Preloaded into the probe by tests: stands between it and its MPI library, of which it knows nothing: all arguments fit
 * registers.
 * MPI_Allreduce is slowed down, a rank gets a signal in the middle of a chosen point, or its data are spoilt:
 *   MEDDLE_SLEEP_US  sleep before every call
 *   MEDDLE_SIGNAL    signal that rank MEDDLE_RANK sends to itself in call number MEDDLE_CALL with MEDDLE_COUNT elements
 *   MEDDLE_SPOIL     call number with MEDDLE_COUNT elements whose result is spoilt on rank MEDDLE_RANK
 * MPI_Send has a switch:
 *   MEDDLE_SWITCH    messages of more elements than this are sent later
 *   MEDDLE_DELAY_US  by so long, for which the sender is busy
 *   MEDDLE_LIMIT     instead of MEDDLE_SWITCH, if set
 * MPI_Finalize hangs:
 *   MEDDLE_FINALIZE  on rank MEDDLE_RANK, if set
 * MPI_Bcast is spoilt, or watched:
 *   MEDDLE_SPOIL_IF  name of a variable: where it is set, calls with MEDDLE_COUNT elements on rank MEDDLE_RANK
 *   MEDDLE_SLOW_US   time that calls take longer for which the library chooses the algorithm itself, by the control variable
 *   MEDDLE_CHOICE    that has another value than 0 while an algorithm is forced, or when its communicator is made
 *   MEDDLE_UNLESS    name of a variable: where it is set, no call takes longer
 *   MEDDLE_PLACES    file that gets {"calls", "places", "repeated"} of rank MEDDLE_RANK at exit: calls with MEDDLE_COUNT
 *                    elements, different addresses of their data, and calls with the same address as the one before
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
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

static long long now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int MPI_Send(long data, long count, long type, long to, long tag, long comm) {
    static int (*real)(long, long, long, long, long, long);
    static long limit = 0;
    static long long delay_ns = 0;
    if (real == NULL) {
        real = (int (*)(long, long, long, long, long, long))dlsym(RTLD_NEXT, "PMPI_Send");
        limit = number("MEDDLE_LIMIT", number("MEDDLE_SWITCH", -1));
        delay_ns = 1000LL * number("MEDDLE_DELAY_US", 0);
    }
    if (limit >= 0 && (int)count > limit) {
        const long long end_ns = now_ns() + delay_ns;
        while (now_ns() < end_ns) {
        }
    }
    return real(data, count, type, to, tag, comm);
}

int MPI_Finalize(void) {
    int (*real)(void) = (int (*)(void))dlsym(RTLD_NEXT, "PMPI_Finalize");
    while (getenv("MEDDLE_FINALIZE") != NULL && rank() == number("MEDDLE_RANK", -2)) {
        pause_for(1000000);
    }
    return real();
}

enum { most_places = 1 << 16 };
static long places[most_places];
static long known_places = 0;
static long watched_calls = 0;
static long repeated = 0;

static void watch(long place) {
    static long last = 0;
    ++watched_calls;
    repeated += place == last;
    last = place;
    long i = 0;
    while (i < known_places && places[i] != place) {
        ++i;
    }
    if (i == known_places && i < most_places) {
        places[known_places++] = place;
    }
}

/* Whether an algorithm is forced now: what the control variable MEDDLE_CHOICE says, if the library has it. */
static int forced_now(void) {
    static void* handle = NULL;
    static int known = -1; /* -1: not asked yet */
    const char* name = getenv("MEDDLE_CHOICE");
    if (name == NULL) {
        return 0;
    }
    if (known != 1) {
        int provided = 0;
        int index = 0;
        int count = 0;
        if (known < 0) {
            ((int (*)(int, int*))dlsym(RTLD_DEFAULT, "MPI_T_init_thread"))(0, &provided);
        }
        known = ((int (*)(const char*, int*))dlsym(RTLD_DEFAULT, "MPI_T_cvar_get_index"))(name, &index) == 0 &&
                ((int (*)(int, void*, void**, int*))dlsym(RTLD_DEFAULT, "MPI_T_cvar_handle_alloc"))(index, NULL, &handle, &count) == 0;
    }
    char value[4096] = {0};
    if (known == 1) {
        ((int (*)(void*, void*))dlsym(RTLD_DEFAULT, "MPI_T_cvar_read"))(handle, value);
    }
    return *(int*)value != 0;
}

enum { most_comms = 1 << 12 };
static long forced_comms[most_comms];

/* Communicators for which an algorithm is forced, by their handles. */
static void note_comm(long comm, int forced) {
    long empty = -1;
    for (long i = 0; i < most_comms; ++i) {
        if (forced_comms[i] == comm) {
            forced_comms[i] = forced ? comm : 0;
            return;
        }
        empty = empty < 0 && forced_comms[i] == 0 ? i : empty;
    }
    if (forced && empty >= 0) {
        forced_comms[empty] = comm;
    }
}

static int is_forced(long comm) {
    for (long i = 0; i < most_comms; ++i) {
        if (forced_comms[i] == comm) {
            return 1;
        }
    }
    return forced_now();
}

/* Handles of Open MPI are pointers; those of MPICH are numbers, whose choice is known at the time of the call. */
int MPI_Comm_dup(long comm, long* made) {
    int (*real)(long, long*) = (int (*)(long, long*))dlsym(RTLD_NEXT, "PMPI_Comm_dup");
    const int code = real(comm, made);
    if (getenv("OMPI_COMM_WORLD_RANK") != NULL && getenv("MEDDLE_CHOICE") != NULL) {
        note_comm(*made, forced_now());
    }
    return code;
}

int MPI_Comm_dup_with_info(long comm, long info, long* made) {
    int (*real)(long, long, long*) = (int (*)(long, long, long*))dlsym(RTLD_NEXT, "PMPI_Comm_dup_with_info");
    const int code = real(comm, info, made);
    if (getenv("OMPI_COMM_WORLD_RANK") != NULL && getenv("MEDDLE_CHOICE") != NULL) {
        note_comm(*made, forced_now());
    }
    return code;
}

static void slow_down(long comm) {
    const char* unless = getenv("MEDDLE_UNLESS");
    const long us = number("MEDDLE_SLOW_US", 0);
    if (us == 0 || (unless != NULL && getenv(unless) != NULL) || is_forced(comm)) {
        return;
    }
    const long long end_ns = now_ns() + 1000LL * us;
    while (now_ns() < end_ns) {
    }
}

int MPI_Bcast(long data, long count, long type, long root, long comm) {
    static int (*real)(long, long, long, long, long);
    if (real == NULL) {
        real = (int (*)(long, long, long, long, long))dlsym(RTLD_NEXT, "PMPI_Bcast");
    }
    const int chosen = (int)count == number("MEDDLE_COUNT", -1);
    if (getenv("MEDDLE_PLACES") != NULL && chosen) {
        watch(data);
    }
    slow_down(comm);
    const int code = real(data, count, type, root, comm);
    const char* condition = getenv("MEDDLE_SPOIL_IF");
    if (condition != NULL && getenv(condition) != NULL && chosen && rank() == number("MEDDLE_RANK", -2)) {
        ((char*)data)[0] ^= 0x55;
    }
    return code;
}

__attribute__((destructor)) static void write_file(void) {
    const char* name = getenv("MEDDLE_PLACES");
    if (name == NULL || rank() != number("MEDDLE_RANK", -2)) {
        return;
    }
    FILE* file = fopen(name, "w");
    if (file != NULL) {
        fprintf(file, "{\"calls\": %ld, \"places\": %ld, \"repeated\": %ld}\n", watched_calls, known_places, repeated);
        fclose(file);
    }
}
