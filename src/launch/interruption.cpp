#include "launch/interruption.hpp"

#include <csignal>
#include <initializer_list>

namespace fathom::launch {
namespace {

volatile std::sig_atomic_t stop_requested = 0;

void request_stop(int /*signal*/) {
    stop_requested = 1;
}

}  // namespace

void catch_interruptions() {
    struct sigaction action {};
    action.sa_handler = request_stop;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        ::sigaction(signal, &action, nullptr);
    }
}

bool interrupted() {
    return stop_requested != 0;
}

}  // namespace fathom::launch
