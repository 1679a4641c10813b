/* Uses every function of the interface once, with the worker that lies beside the library, and tries what a careless
 * caller does: NULL, numbers that are no enum, paths that lead nowhere. Built with a sanitizer, which finds memory that is
 * not given back. Usage: interface TRACE; prints facts that the test compares. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "afterimage.h"

#define CHECK(truth) \
    do { \
        if (!(truth)) { \
            const char *why = afterimage_last_error(); \
            fprintf(stderr, "%s:%d: %s is not so; the last error is: %s\n", __FILE__, __LINE__, #truth, \
                    why ? why : "none"); \
            exit(1); \
        } \
    } while (0)

/* The last call failed, and its reason has a word in it. */
#define CHECK_ERROR(word) CHECK(afterimage_last_error() && strstr(afterimage_last_error(), word))

static void careless(AfterimageSession *session)
{
    CHECK(!afterimage_open(NULL, NULL));
    CHECK_ERROR("the path is NULL");
    CHECK(!afterimage_open("no-such-trace.aftr", NULL));
    CHECK_ERROR("no-such-trace.aftr");
    CHECK(!afterimage_open("\xff\xfe", NULL));
    CHECK_ERROR("UTF-8");
    CHECK(!afterimage_step(NULL, 0));
    CHECK_ERROR("the session is NULL");
    CHECK(!afterimage_step(session, 4711));
    CHECK_ERROR("4711 is no AfterimageStep");
    CHECK(!afterimage_variables(session, 0, 99));
    CHECK_ERROR("99 is no AfterimageScope");
    CHECK(!afterimage_variables(session, 1000, AFTERIMAGE_SCOPE_LOCALS));
    CHECK_ERROR("");
    CHECK(!afterimage_enter_pixel(session, 999999, 0, 0));
    CHECK_ERROR("frame 999999");
    CHECK(!afterimage_state(session, 0, "no/such/path", false));
    CHECK_ERROR("there is no `no` at the top");
    CHECK(!afterimage_state(session, UINT64_MAX, "", false));
    CHECK_ERROR("there is no command");
    CHECK(!afterimage_buffer(session, 0, 12345));
    CHECK_ERROR("");
    CHECK(!afterimage_frame_shown(session, 0, NULL));
    CHECK_ERROR("NULL");
    CHECK(!afterimage_set_breakpoints(session, "x", NULL, 3));
    CHECK_ERROR("the list of breakpoints is NULL");
    CHECK(!afterimage_evaluate(session, 0, NULL));
    CHECK_ERROR("the expression is NULL");
    CHECK(!afterimage_next_call(NULL) && afterimage_command_count(NULL) == 0 && !afterimage_interrupt(NULL));
    afterimage_close(NULL);
    afterimage_calls_free(NULL);
    afterimage_call_free(NULL);
    afterimage_stop_free(NULL);
    afterimage_variables_free(NULL);
    afterimage_frames_free(NULL);
    afterimage_picture_free(NULL);
    afterimage_bytes_free(NULL);
    afterimage_images_free(NULL);
    afterimage_string_free(NULL);
}

static uint64_t calls(AfterimageSession *session)
{
    AfterimageCalls *all = afterimage_calls(session, 0, UINT64_MAX);
    CHECK(all);
    uint64_t count = 0, draws = 0, draw = 0, texts = 0;
    AfterimageCall *call;
    while ((call = afterimage_next_call(all))) {
        CHECK(call->command == count && call->name && call->text && strstr(call->text, call->name));
        if (strcmp(call->name, "glDrawArrays") == 0) {
            CHECK(call->argument_count == 3 && call->arguments[0].value.kind == AFTERIMAGE_KIND_ENUM);
            CHECK(strncmp(call->arguments[0].value.text, "GL_", 3) == 0);
            CHECK(call->result.kind == AFTERIMAGE_KIND_NONE);
            draw = call->command;
            draws++;
        }
        if (strcmp(call->name, "glShaderSource") == 0) {
            const AfterimageArgument *text = &call->arguments[2];
            CHECK(text->element_count == 1 && text->elements[0].kind == AFTERIMAGE_KIND_TEXT);
            CHECK(strstr(text->elements[0].text, "main"));
            texts++;
        }
        count++;
        afterimage_call_free(call);
    }
    CHECK(!afterimage_last_error() && count == afterimage_command_count(session) && draws && texts);
    afterimage_calls_free(all);
    printf("calls %" PRIu64 " draws %" PRIu64 " frames %" PRIu64 "\n", count, draws, afterimage_frame_count(session));
    return draw;
}

static void contents(AfterimageSession *session, uint64_t shown)
{
    AfterimagePicture *picture = afterimage_picture(session, shown);
    CHECK(picture && picture->rgba);
    uint64_t sum = 0;
    for (size_t at = 0; at < (size_t)picture->width * picture->height * 4; at++) {
        sum = sum * 31 + picture->rgba[at];
    }
    printf("picture %" PRIu32 "x%" PRIu32 " %016" PRIx64 "\n", picture->width, picture->height, sum);
    afterimage_picture_free(picture);
    size_t read = 0;
    for (uint32_t name = 1; name < 32; name++) {
        AfterimageImages *images = afterimage_texture(session, shown, name);
        if (images) {
            for (size_t at = 0; at < images->count; at++) {
                const AfterimageImage *one = &images->images[at];
                CHECK(one->bytes && one->size >= (size_t)one->width * one->height && one->format[0] == 'G');
                uint8_t last = one->bytes[one->size - 1];
                CHECK(memchr(one->bytes + one->size - 1, last, 1));
                read++;
            }
        }
        afterimage_images_free(images);
        AfterimageBytes *bytes = afterimage_buffer(session, shown, name);
        read += bytes && bytes->size > 0;
        afterimage_bytes_free(bytes);
        afterimage_images_free(afterimage_renderbuffer(session, shown, name));
    }
    CHECK(read > 0);
}

static void debugger(AfterimageSession *session, uint64_t draw)
{
    AfterimageStop *stop = afterimage_enter_pixel(session, -1, 20, 20);
    CHECK(stop && stop->reason == AFTERIMAGE_REASON_ENTRY && stop->line > 0 && !stop->ended);
    char *source = afterimage_source(session, stop->pass);
    CHECK(source && strstr(source, "main"));
    afterimage_string_free(source);
    AfterimageFrames *stack = afterimage_stack(session);
    CHECK(stack && stack->count == 1 && strcmp(stack->frames[0].function, "main") == 0);
    afterimage_frames_free(stack);

    AfterimageStop *next = afterimage_step(session, AFTERIMAGE_STEP_OVER);
    CHECK(next && next->time > stop->time);
    AfterimageBreakpoint here = {.line = next->line, .condition = "true", .hit_count = NULL};
    CHECK(afterimage_set_breakpoints(session, next->source, &here, 1));
    AfterimageStop *start = afterimage_step(session, AFTERIMAGE_STEP_TO_START);
    AfterimageStop *hit = afterimage_step(session, AFTERIMAGE_STEP_CONTINUE);
    CHECK(start && hit && hit->reason == AFTERIMAGE_REASON_BREAKPOINT && hit->line == next->line);
    AfterimageBreakpoint wrong = {.line = next->line, .condition = "1 +", .hit_count = NULL};
    CHECK(!afterimage_set_breakpoints(session, next->source, &wrong, 1));
    CHECK_ERROR("nothing can stop at the breakpoint");
    CHECK(afterimage_set_breakpoints(session, next->source, NULL, 0));
    AfterimageStop *end = afterimage_step(session, AFTERIMAGE_STEP_TO_END);
    CHECK(end && end->ended);

    AfterimageVariables *sum = afterimage_evaluate(session, 0, "vec2(1.0, 0.0) / vec2(4.0, 0.0)");
    CHECK(sum && sum->count == 1 && sum->variables[0].number_count == 2 && sum->variables[0].numbers[0] == 0.25);
    CHECK(sum->variables[0].numbers[1] != sum->variables[0].numbers[1] && sum->variables[0].children == 2);
    afterimage_variables_free(sum);
    AfterimageVariables *parts = afterimage_children(session, 0, "vec3(1.0, 2.0, 3.0)");
    CHECK(parts && parts->count == 3 && parts->variables[2].numbers[0] == 3.0);
    afterimage_variables_free(parts);
    AfterimageVariables *set = afterimage_set_variable(session, 0, "no_such_variable", "1.0");
    CHECK(!set);
    CHECK_ERROR("no_such_variable");
    afterimage_stop_free(stop);
    afterimage_stop_free(next);
    afterimage_stop_free(start);
    afterimage_stop_free(hit);
    afterimage_stop_free(end);

    stop = afterimage_enter(session, "{\"pixel\": {\"frame\": null, \"x\": 20, \"y\": 20}}");
    CHECK(stop && stop->reason == AFTERIMAGE_REASON_ENTRY);
    CHECK(!afterimage_enter(session, "{\"pixel\": 7}"));
    CHECK_ERROR("this is no invocation");
    char *hits = afterimage_search_breakpoint(session, stop->source, stop->line, "gl_FragCoord.x < 2.0", 0);
    CHECK(hits && strstr(hits, "\"choice\""));
    afterimage_string_free(hits);
    afterimage_stop_free(stop);
    stop = afterimage_step(session, AFTERIMAGE_STEP_OVER);
    AfterimageVariables *locals = afterimage_variables(session, 0, AFTERIMAGE_SCOPE_LOCALS);
    CHECK(stop && locals && locals->count > 0 && afterimage_watch(session, locals->variables[0].path));
    afterimage_stop_free(stop);
    stop = afterimage_step(session, AFTERIMAGE_STEP_CONTINUE);
    CHECK(stop && stop->reason == AFTERIMAGE_REASON_DATA && strstr(stop->detail, locals->variables[0].path));
    afterimage_stop_free(stop);
    set = afterimage_set_variable(session, 0, locals->variables[0].path, locals->variables[0].emulated);
    CHECK(set && set->count == 1 && strcmp(set->variables[0].emulated, locals->variables[0].emulated) == 0);
    afterimage_variables_free(set);
    afterimage_variables_free(locals);
    CHECK(afterimage_watch(session, NULL) && !afterimage_watch(session, "no_such_variable"));
    CHECK_ERROR("no_such_variable cannot be watched");
    double one = 1.0;
    CHECK(!afterimage_set_uniform(session, "no_such_uniform", &one, 1));
    CHECK_ERROR("no_such_uniform");
    CHECK(!afterimage_set_uniform(session, "no_such_uniform", NULL, 4));
    CHECK_ERROR("the list of numbers is NULL");
    stop = afterimage_undo_changes(session);
    CHECK(stop);
    afterimage_stop_free(stop);
    char *nan = afterimage_find_nan(session, 0, false);
    CHECK(nan && strstr(nan, "\"frame\":0"));
    afterimage_string_free(nan);

    stop = afterimage_enter_vertex(session, draw, 0, -1);
    CHECK(stop && strcmp(stop->stage, "vertex") == 0);
    afterimage_stop_free(stop);
    stop = afterimage_enter_fragment(session, draw, 20, 20);
    CHECK(stop && strcmp(stop->stage, "fragment") == 0 && stop->command == draw);
    afterimage_stop_free(stop);
    CHECK(!afterimage_enter_thread(session, draw, 0, 0, 0));
    CHECK_ERROR("");
    CHECK(!afterimage_step_into_read(session, 77, 0));
    CHECK_ERROR("");
    char *history = afterimage_history(session, -1, 20, 20, 1);
    CHECK(history && strstr(history, "\"nodes\""));
    afterimage_string_free(history);

    CHECK(afterimage_interrupt(session));
    CHECK(!afterimage_history(session, -1, 21, 21, -1));
    CHECK_ERROR("interrupt");
    CHECK(afterimage_clear_interrupt(session));
}

int main(int count, char **words)
{
    if (count != 2) {
        return 2;
    }
    AfterimageOptions options = {.timeout_seconds = 120};
    AfterimageSession *session = afterimage_open(words[1], &options);
    CHECK(session && !afterimage_last_error());
    careless(session);
    uint64_t draw = calls(session), shown = 0;
    CHECK(afterimage_frame_shown(session, 0, &shown) && shown > 0);
    char *state = afterimage_state(session, shown, "viewport", false);
    CHECK(state);
    printf("viewport %s\n", state);
    afterimage_string_free(state);
    contents(session, shown);
    debugger(session, draw);
    afterimage_close(session);
    return 0;
}
