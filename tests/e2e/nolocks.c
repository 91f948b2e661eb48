/* Preloaded into fathom by tests: a file system on which no lock can be had. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>

static int without_locks(const char* name, int fd, int command, va_list arguments) {
    if (command == F_SETLK || command == F_GETLK || command == F_SETLKW) {
        errno = ENOLCK;
        return -1;
    }
    int (*real)(int, int, ...) = (int (*)(int, int, ...))dlsym(RTLD_NEXT, name);
    return real(fd, command, va_arg(arguments, void*));
}

int fcntl(int fd, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    const int result = without_locks("fcntl", fd, command, arguments);
    va_end(arguments);
    return result;
}

int fcntl64(int fd, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    const int result = without_locks("fcntl64", fd, command, arguments);
    va_end(arguments);
    return result;
}
