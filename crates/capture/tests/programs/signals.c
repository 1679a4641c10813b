// Signal handlers that call GL in the middle of calls: on the thread's stack and on an alternate stack.
#define _GNU_SOURCE
#include "headless.h"
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

static atomic_ulong handled;

static void handler(int number) {
    (void)number;
    atomic_fetch_add(&handled, 1);
    // Takes no lock in any driver, so it can be called from a handler.
    glGetError();
}

static void calls(int alternate) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART | (alternate ? SA_ONSTACK : 0)};
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
    unsigned long end = atomic_load(&handled) + 500;
    for (int i = 0; atomic_load(&handled) < end; i++)
        glScissor(i, i + 1, i + 2, i + 3);
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
}

int main(void) {
    open_display();
    EGLContext context = make_context(NULL, 0);
    CHECK(eglMakeCurrent(display, NULL, NULL, context));
    calls(0);
    static char stack[1 << 16];
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    CHECK(sigaltstack(&other, NULL) == 0);
    calls(1);
    glFinish();
    printf("handled %lu\n", (unsigned long)atomic_load(&handled));
    return 0;
}
