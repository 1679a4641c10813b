// More threads than there are rings, some concurrent, all with contexts of one share group.
#include "headless.h"
#include <pthread.h>

enum { ROUNDS = 30, AT_ONCE = 4, CALLS = 500 };

static void *work(void *share) {
    EGLContext context = make_context(share, 0);
    CHECK(eglMakeCurrent(display, NULL, NULL, context));
    for (int i = 0; i < CALLS; i++)
        glScissor(i, 0, 1, 1);
    // Every fourth thread ends with its context current.
    static int count;
    if (__atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST) % 4 != 0) {
        CHECK(eglMakeCurrent(display, NULL, NULL, NULL));
        CHECK(eglDestroyContext(display, context));
    }
    return NULL;
}

int main(void) {
    open_display();
    EGLContext context = make_context(NULL, 0);
    CHECK(eglMakeCurrent(display, NULL, NULL, context));
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[AT_ONCE];
        for (int i = 0; i < AT_ONCE; i++)
            CHECK(pthread_create(&threads[i], NULL, work, context) == 0);
        for (int i = 0; i < AT_ONCE; i++)
            CHECK(pthread_join(threads[i], NULL) == 0);
    }
    glFinish();
    printf("done\n");
    return 0;
}
