/* Tracers: shared objects that take part in the GL, EGL and GLX calls of a program.
 *
 * AFTERIMAGE_TRACER lists their paths, separated by colons. They are loaded when the program makes its first call, and
 * `afterimage_tracer_init` of each is called once. The other functions below are defined by the capture library, which
 * is already in the process: include this header and link nothing. docs/tracers.md has the rules.
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

/* One call of the program, as seen by one tracer. */
typedef struct afterimage_call {
    /* The command: its number, which is valid for this build of the library only, and its name. */
    uint32_t command;
    /* The number of arguments. */
    uint32_t count;
    const char *name;
    /* The arguments, a word each: signed integers are sign-extended, unsigned ones and pointers zero-extended, floats
     * are their bits. Changes made by a prologue reach the next tracer, the recording and the driver. */
    uint64_t *args;
    /* The result as a word. An epilogue may change what the program gets; a prologue that blocks sets it. */
    uint64_t result;
    /* For the tracer's use: what the prologue stores here is passed to the epilogue of the same call. */
    void *user;
} afterimage_call;

/* Return values of a prologue. */
enum {
    AFTERIMAGE_GO_ON = 0,
    /* Blocks the call: it does not reach later tracers, the recording or the driver, and the program gets `result`.
     * Epilogues of this and of earlier tracers are still called. */
    AFTERIMAGE_BLOCK = 1
};

typedef int (*afterimage_prologue)(afterimage_call *call, void *data);
typedef void (*afterimage_epilogue)(afterimage_call *call, void *data);

/* Defined by the tracer's shared object. Returns 0 on success; after any other value the tracer is not used. */
int afterimage_tracer_init(uint32_t version);

/* Creates a tracer, which is initially disabled. Either function may be null; `data` is passed to both. Tracers see
 * calls in the order of their creation, and results in reverse order. Returns 0 when there are too many tracers. */
afterimage_tracer afterimage_tracer_create(afterimage_prologue prologue, afterimage_epilogue epilogue, void *data);

/* May be called from any thread, also during calls of other threads: a call whose prologue was called gets its epilogue,
 * whatever happens meanwhile. They return 0, or an error number: EINVAL if the argument is not a tracer. */
int afterimage_tracer_enable(afterimage_tracer tracer);
int afterimage_tracer_disable(afterimage_tracer tracer);

/* Disables a tracer and waits until no call is between its prologue and its epilogue; afterwards neither is called again.
 * Returns EDEADLK when the calling thread itself is in such a call. */
int afterimage_tracer_destroy(afterimage_tracer tracer);

/* Returns the driver's function of that name, or null. Calls to it are neither traced nor recorded. */
void *afterimage_real(const char *name);

/* Returns the library's function of that name, or null. Calls to it are recorded; if made by a tracer, they are not
 * traced. */
void *afterimage_recorded(const char *name);

/* Returns the number of a command, or -1. */
int32_t afterimage_command(const char *name);

#ifdef __cplusplus
}
#endif

#endif
