// Child processes that call GL after their parent did, created in every possible way, are not recorded; the parent still
// is.
#define _GNU_SOURCE
#include "headless.h"
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void *child_thread(void *unused) {
    glGetError();
    return unused;
}

#include <pthread.h>

static void in_child(void) {
    // A driver need not work in a child, but fetching an error takes no lock.
    for (int i = 0; i < 100; i++)
        glGetError();
    pthread_t thread;
    if (pthread_create(&thread, NULL, child_thread, NULL) == 0)
        pthread_join(thread, NULL);
    _exit(3);
}

static void wait_for(pid_t child, int expected) {
    int status = 0;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == expected);
}

int main(int count, char **arguments) {
    if (count > 1) {
        // After exec, an independent process.
        return 4;
    }
    open_display();
    EGLContext context = make_context(NULL, 0);
    CHECK(eglMakeCurrent(display, NULL, NULL, context));
    pid_t child = fork();
    if (child == 0)
        in_child();
    wait_for(child, 3);
    child = fork();
    if (child == 0)
        exit(6);
    wait_for(child, 6);
    child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0)
        in_child();
    wait_for(child, 3);
    child = vfork();
    if (child == 0) {
        unsetenv("LD_PRELOAD");
        execl(arguments[0], arguments[0], "child", NULL);
        _exit(5);
    }
    wait_for(child, 4);
    glFinish();
    printf("parent %#x\n", glGetError());
    return 0;
}
