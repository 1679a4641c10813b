// A tracer that does everything a tracer may do, and prints what it observed.
#include "../../include/afterimage_tracer.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static afterimage_tracer editor, toggled;
static pthread_t thread;
static atomic_int stop, destroyed;
static atomic_ulong prologues, epilogues, wrong_user, after_destroy;

static int edit(afterimage_call *call, void *data) {
    call->user = (void *)call->name;
    if (!strcmp(call->name, "glClearColor")) {
        float red = 1.0f;
        uint32_t bits;
        memcpy(&bits, &red, 4);
        call->args[0] = bits;
    }
    if (!strcmp(call->name, "glScissor"))
        return AFTERIMAGE_BLOCK;
    if (!strcmp(call->name, "glCreateProgram")) {
        call->result = 77;
        return AFTERIMAGE_BLOCK;
    }
    if (!strcmp(call->name, "glClear")) {
        // One call that is not in the trace, and one that is.
        void (*viewport)(int, int, int, int) = afterimage_real("glViewport");
        void (*line_width)(float) = afterimage_recorded("glLineWidth");
        viewport(5, 6, 7, 8);
        line_width(1.0f);
    }
    if (!strcmp(call->name, "glFinish")) {
        // This tracer was created first: the other one has not seen this call yet, so this thread can destroy it.
        atomic_store(&stop, 1);
        pthread_join(thread, NULL);
        printf("paired %d, own data %d, enough %d, after destroy %lu\n", prologues == epilogues, wrong_user == 0, prologues >= 1000,
               (unsigned long)after_destroy);
        printf("destroy in own call %d\n", afterimage_tracer_destroy(editor) == EDEADLK);
        fflush(stdout);
    }
    (void)data;
    return AFTERIMAGE_GO_ON;
}

static void finish_edit(afterimage_call *call, void *data) {
    if (call->user != (void *)call->name)
        atomic_fetch_add(&wrong_user, 1);
    if (!strcmp(call->name, "glIsEnabled"))
        call->result = !call->result;
    (void)data;
}

static int count(afterimage_call *call, void *data) {
    if (atomic_load(&destroyed))
        atomic_fetch_add(&after_destroy, 1);
    atomic_fetch_add((atomic_ulong *)data, 1);
    unsigned long *user = malloc(sizeof *user);
    *user = call->args ? call->args[0] + call->command : call->command;
    call->user = user;
    return AFTERIMAGE_GO_ON;
}

static void finish_count(afterimage_call *call, void *data) {
    if (atomic_load(&destroyed))
        atomic_fetch_add(&after_destroy, 1);
    atomic_fetch_add(&epilogues, 1);
    if (!call->user || *(unsigned long *)call->user != (call->args ? call->args[0] + call->command : call->command))
        atomic_fetch_add(&wrong_user, 1);
    free(call->user);
    (void)data;
}

static void *toggle(void *unused) {
    // Long enough for calls to be seen, however busy the machine is.
    while (atomic_load(&prologues) < 1000 && !atomic_load(&stop))
        sched_yield();
    afterimage_tracer_disable(toggled);
    for (int i = 0; i < 1000000 && !atomic_load(&stop); i++) {
        afterimage_tracer_enable(toggled);
        for (volatile int spin = 0; spin < i % 100; spin++) {
        }
        afterimage_tracer_disable(toggled);
    }
    afterimage_tracer_enable(toggled);
    if (afterimage_tracer_destroy(toggled) != 0)
        abort();
    atomic_store(&destroyed, 1);
    if (afterimage_tracer_enable(toggled) != EINVAL)
        abort();
    return unused;
}

int afterimage_tracer_init(uint32_t version) {
    if (version != AFTERIMAGE_TRACER_VERSION || afterimage_command("glClear") < 0 || afterimage_command("glNoSuch") != -1)
        return 1;
    editor = afterimage_tracer_create(edit, finish_edit, NULL);
    toggled = afterimage_tracer_create(count, finish_count, &prologues);
    if (!editor || !toggled || afterimage_tracer_enable(editor) != 0 || afterimage_tracer_enable(toggled) != 0)
        return 1;
    return pthread_create(&thread, NULL, toggle, NULL);
}
