/* Preloaded into a program by tests: writes what it gets from its launcher and asks of MPI, a JSON object for each rank into
 * WITNESS_FOLDER: how it initialised MPI, the processors it may run on and its environment; at the end, how often it asked
 * MPI for memory (MPI_Alloc_mem). Works with any MPI library: all arguments fit registers. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char** environ;

static int requested = -1, allocations;

static void* next(const char* name) {
    void* found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

static void quote(FILE* out, const char* text, size_t length) {
    fputc('"', out);
    for (size_t i = 0; i < length; ++i) {
        const unsigned char letter = (unsigned char)text[i];
        if (letter < ' ' || letter == '"' || letter == '\\' || letter > '~') {
            fprintf(out, "\\u%04x", letter);
        } else {
            fputc(letter, out);
        }
    }
    fputc('"', out);
}

static void write_down(const char* how) {
    const char* folder = getenv("WITNESS_FOLDER");
    if (!folder) return;
    char path[4096];
    snprintf(path, sizeof path, "%s/%d.json", folder, (int)getpid());
    FILE* out = fopen(path, "w");
    if (!out) abort();
    fprintf(out, "{\"initialised\": \"%s\", \"requested\": %d, \"processors\": [", how, requested);
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    const char* comma = "";
    for (int i = 0; i < CPU_SETSIZE; ++i) {
        if (CPU_ISSET(i, &set)) {
            fprintf(out, "%s%d", comma, i);
            comma = ", ";
        }
    }
    fprintf(out, "], \"environment\": {");
    comma = "";
    for (char** variable = environ; *variable; ++variable) {
        const char* equals = strchr(*variable, '=');
        if (!equals) continue;
        fputs(comma, out);
        quote(out, *variable, (size_t)(equals - *variable));
        fputs(": ", out);
        quote(out, equals + 1, strlen(equals + 1));
        comma = ", ";
    }
    fprintf(out, "}}\n");
    fclose(out);
}

int MPI_Init(int* argc, char*** argv) {
    const int status = ((int (*)(int*, char***))next("MPI_Init"))(argc, argv);
    write_down("MPI_Init");
    return status;
}

int MPI_Init_thread(int* argc, char*** argv, int level, int* provided) {
    requested = level;
    const int status = ((int (*)(int*, char***, int, int*))next("MPI_Init_thread"))(argc, argv, level, provided);
    write_down("MPI_Init_thread");
    return status;
}

int MPI_Alloc_mem(long size, void* info, void* place) {
    ++allocations;
    return ((int (*)(long, void*, void*))next("MPI_Alloc_mem"))(size, info, place);
}

int MPI_Finalize(void) {
    const char* folder = getenv("WITNESS_FOLDER");
    char path[4096];
    if (folder && snprintf(path, sizeof path, "%s/%d.allocations", folder, (int)getpid()) > 0) {
        FILE* out = fopen(path, "w");
        if (out) {
            fprintf(out, "%d\n", allocations);
            fclose(out);
        }
    }
    return ((int (*)(void))next("MPI_Finalize"))();
}
