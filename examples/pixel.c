/* Steps through the invocation that made a pixel of a trace, and prints the values of its variables. It does what
 * examples/pixel.rs does, from C:
 *
 *     cc -std=c11 -I bindings/c/include examples/pixel.c -o pixel -L target/release -lafterimage_c
 *     LD_LIBRARY_PATH=target/release ./pixel pearl.aftr 200 60
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "afterimage.h"

static int fail(void)
{
    const char *why = afterimage_last_error();
    fprintf(stderr, "pixel: %s\n", why ? why : "there is nothing to see");
    return 2;
}

static void print_variables(const AfterimageVariables *all)
{
    for (size_t at = 0; at < all->count; at++) {
        const AfterimageVariable *one = &all->variables[at];
        const char *value = one->emulated ? one->emulated : one->measured;
        printf("      %s %s = %s", one->type_name, one->name, value ? value : "no value");
        if (one->agreement == AFTERIMAGE_AGREEMENT_EQUAL) {
            printf("  as measured");
        } else if (one->agreement == AFTERIMAGE_AGREEMENT_WITHIN) {
            printf("  as measured, but for rounding");
        } else if (one->agreement == AFTERIMAGE_AGREEMENT_DIVERGENT) {
            printf("  not as measured: %s", one->measured);
        }
        printf("\n");
    }
}

static int walk(AfterimageSession *session, uint32_t x, uint32_t y)
{
    AfterimageStop *stop = afterimage_enter_pixel(session, -1, x, y);
    if (!stop) {
        return fail();
    }
    printf("%s\n", stop->invocation);
    while (!stop->ended) {
        printf("%4" PRIu32 "  %s\n", stop->line, stop->text);
        afterimage_stop_free(stop);
        stop = afterimage_step(session, AFTERIMAGE_STEP_OVER);
        if (!stop) {
            return fail();
        }
        AfterimageVariables *locals = afterimage_variables(session, 0, AFTERIMAGE_SCOPE_LOCALS);
        if (!locals) {
            afterimage_stop_free(stop);
            return fail();
        }
        print_variables(locals);
        afterimage_variables_free(locals);
    }
    afterimage_stop_free(stop);
    return 0;
}

int main(int count, char **words)
{
    /* A driver may crash, so it runs in a separate process: this program, started again. Programs that cannot do this
     * keep the program afterimage-worker beside the library. */
    afterimage_be_a_worker_if_asked();
    if (count != 4) {
        fprintf(stderr, "usage: pixel TRACE X Y, for example game.aftr 320 200\n");
        return 2;
    }
    AfterimageSession *session = afterimage_open(words[1], NULL);
    if (!session) {
        return fail();
    }
    int status = walk(session, (uint32_t)strtoul(words[2], NULL, 10), (uint32_t)strtoul(words[3], NULL, 10));
    afterimage_close(session);
    return status;
}
