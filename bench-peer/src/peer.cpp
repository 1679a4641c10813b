// glslang behind two plain functions (parse and check as OpenGL, no SPIR-V), and the clock both are timed with.

#include <ctime>

#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>

static EShLanguage language(int stage) {
    static const EShLanguage all[] = {
        EShLangVertex, EShLangTessControl, EShLangTessEvaluation, EShLangGeometry, EShLangFragment, EShLangCompute,
    };
    return all[stage];
}

// Processor time of this thread.
extern "C" unsigned long long cpu_nanoseconds() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000ull + now.tv_nsec;
}

extern "C" void peer_start() {
    glslang::InitializeProcess();
}

// Reads one shader and forgets it; 1 if it is accepted.
extern "C" int peer_check(int stage, int es, const char *text, int length) {
    glslang::TShader shader(language(stage));
    shader.setStringsWithLengths(&text, &length, 1);
    return shader.parse(GetDefaultResources(), es ? 100 : 110, false, EShMsgDefault) ? 1 : 0;
}
