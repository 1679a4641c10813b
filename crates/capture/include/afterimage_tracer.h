/* Tracers: shared objects that take part in the GL, EGL and GLX calls of a program.
 *
 * AFTERIMAGE_TRACER names them, separated by colons; they are loaded when the program makes its first call, and
 * `afterimage_tracer_init` of each is called once. The other functions below are those of the capture library, which is
 * in the process already: declare them, link nothing. docs/tracers.md has the rules.
 */
#ifndef AFTERIMAGE_TRACER_H
#define AFTERIMAGE_TRACER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AFTERIMAGE_TRACER_VERSION 1

/* A tracer; 0 is none. */
typedef uint64_t afterimage_tracer;

/* One call of the program, as one tracer sees it. */
typedef struct afterimage_call {
    /* What is called: its number, which holds for this run of the library only, and its name. */
    uint32_t command;
    /* How many arguments there are. */
    uint32_t count;
    const char *name;
    /* The arguments, a word each: signed integers are sign-extended, unsigned ones and pointers zero-extended, floats
     * are their bits. What a prologue changes here is what the next tracer, the recording and the driver get. */
    uint64_t *args;
    /* The result as a word. An epilogue may change what the program gets; a prologue that blocks sets it. */
    uint64_t result;
    /* The tracer's own: what the prologue leaves here comes back in the epilogue of the same call. */
    void *user;
} afterimage_call;

/* What a prologue returns. */
enum {
    AFTERIMAGE_GO_ON = 0,
    /* The call goes no further: neither to later tracers, nor into the recording, nor to the driver. The program gets
     * `result`. Epilogues of this and of earlier tracers are called all the same. */
    AFTERIMAGE_BLOCK = 1
};

typedef int (*afterimage_prologue)(afterimage_call *call, void *data);
typedef void (*afterimage_epilogue)(afterimage_call *call, void *data);

/* Defined by the tracer's shared object. Returns 0, or anything else to be left out. */
int afterimage_tracer_init(uint32_t version);

/* Makes a tracer, which is disabled at first. Either function may be null; `data` is given to both. Tracers see calls in
 * the order in which they were made, and results in the opposite order. Returns 0 when there are too many. */
afterimage_tracer afterimage_tracer_create(afterimage_prologue prologue, afterimage_epilogue epilogue, void *data);

/* These may be called from any thread, also in the middle of other threads' calls: a call whose prologue was called gets
 * its epilogue, whatever happens meanwhile. They return 0, or an error number: EINVAL for something that is no tracer. */
int afterimage_tracer_enable(afterimage_tracer tracer);
int afterimage_tracer_disable(afterimage_tracer tracer);

/* Disables a tracer and waits until no call is between its prologue and its epilogue; afterwards neither is called again.
 * Returns EDEADLK when the calling thread is in such a call itself. */
int afterimage_tracer_destroy(afterimage_tracer tracer);

/* The driver's function of that name, or null. Calls of it are neither traced nor recorded. */
void *afterimage_real(const char *name);

/* The library's function of that name, or null. Calls of it are recorded, and not traced when a tracer makes them. */
void *afterimage_recorded(const char *name);

/* The number of a command, or -1. */
int32_t afterimage_command(const char *name);

#ifdef __cplusplus
}
#endif

#endif
