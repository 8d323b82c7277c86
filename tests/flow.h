/* The whole flow for tests: a scene given as text with overrides, compiled, with a simulation ready to step. */
#ifndef BRN_TESTS_FLOW_H
#define BRN_TESTS_FLOW_H

#include "test.h"

typedef struct flow {
    brn_ctx *ctx;
    brn_scene *scene;
    brn_model *model;
    brn_sim *sim;
} flow;

static const char *const flow_integrators[] = {"turning_euler", "implicit_euler",   "bdf2",  "newmark",
                                               "midpoint",      "symplectic_euler", "static"};
enum { FLOW_INTEGRATORS = 7, FLOW_SYMPLECTIC = 5, FLOW_STATIC = 6 };

/* `sets`: assignments parted by ';', as for brn_scene_set; NULL: none. */
static inline brn_status flow_scene(brn_ctx *ctx, const char *text, const char *sets, brn_scene **out)
{
    brn_status status = brn_scene_parse(ctx, text, strlen(text), "flow.yaml", out);
    for (const char *at = sets; at != NULL && *at != '\0' && status >= 0;) {
        char one[256];
        const size_t n = strcspn(at, ";");
        assert_true(n < sizeof one);
        memcpy(one, at, n);
        one[n] = '\0';
        status = brn_scene_set(*out, one);
        at += n + (at[n] == ';');
    }
    return status;
}

static inline brn_status flow_try(int threads, const char *text, const char *sets, flow *f)
{
    *f = (flow){.ctx = test_ctx(threads)};
    brn_status status = flow_scene(f->ctx, text, sets, &f->scene);
    status = status >= 0 ? brn_model_compile(f->ctx, f->scene, &f->model) : status;
    return status >= 0 ? brn_sim_create(f->ctx, f->model, &f->sim) : status;
}

static inline flow flow_open(int threads, const char *text, const char *sets)
{
    flow f;
    const brn_status status = flow_try(threads, text, sets, &f);
    for (int i = 0; status < 0 && f.scene != NULL && i < brn_scene_problem_count(f.scene); ++i) {
        print_error("%s\n", brn_scene_problem(f.scene, i));
    }
    assert_done(f.ctx, status);
    return f;
}

static inline void flow_close(flow *f)
{
    brn_sim_destroy(f->sim);
    brn_model_destroy(f->model);
    brn_scene_destroy(f->scene);
    brn_ctx_destroy(f->ctx);
    *f = (flow){0};
}

static inline int flow_nodes(const flow *f)
{
    brn_model_info info;
    brn_model_get_info(f->model, &info);
    return info.nodes;
}

/* A folder of its own for a test, empty; relative to where tests run. */
static inline void flow_clear_folder(const char *name)
{
    char command[300];
    assert_true(snprintf(command, sizeof command, "rm -rf '%s'", name) < (int)sizeof command);
    assert_int_equal(system(command), 0);
}

#endif
