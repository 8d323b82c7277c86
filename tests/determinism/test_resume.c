/* Going on from a checkpoint gives the bits of the run that was never interrupted: save and load in the middle, and
   whole runs whose process is killed at random moments. What does not belong is refused, and nothing is lost by it. */
#include "flow.h"
#include "unit/no_fsync.h"

#include "output/trajectory/trajectory.h"
#include "step/sim.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Every kind of hold and load; at the larger step of the sub-stepping test a step does not go through whole. */
static const char scene_3d[] =
    "brunt: 1\nmethod: none\ntime: {step: 2e-3, end: 0.06}\n"
    "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4, density: 1000, damping: {alpha: 1, beta: "
    "1e-4}}}\n"
    "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [3, 3, 3], element: hex8}}}\n"
    "bodies: [{name: a, type: deformable, mesh: m, material: a, velocity: [0, 0, 0.1]}]\n"
    "fixed: [{name: foot, body: a, where: {face: -z}, motion: {velocity: [0.3, 0, 0.1], until: 0.03}}]\n"
    "loads:\n"
    "  - {body: a, where: {face: +z}, pressure: 2e3, ramp: {from: 0, to: 0.01}}\n"
    "  - {body: a, where: {face: +x}, traction: [0, 500, 0]}\n"
    "output: {every: 4e-3, fields: [stress, velocity, force], probes: [{name: top, body: a, where: {face: "
    "+z}}]}\n";

static const char *step_for(int integrator)
{
    return integrator == FLOW_SYMPLECTIC ? "time.step=1e-4;time.end=3e-3;output.every=2e-4"
                                         : "time.step=2e-3";
}

/* ---- save and load ------------------------------------------------------------------------------------------------- */

enum { BEFORE = 4, AFTER = 5 };

static int save_and_load(const char *sets)
{
    flow whole = flow_open(2, scene_3d, sets);
    flow first = flow_open(1, scene_3d, sets);
    flow second = flow_open(3, scene_3d, sets);
    int substeps = 0;
    for (int i = 0; i < BEFORE; ++i) {
        assert_done(whole.ctx, brn_sim_step(whole.sim, NULL));
        assert_done(first.ctx, brn_sim_step(first.sim, NULL));
    }
    assert_done(first.ctx, brn_sim_save(first.sim, "resume_sim.h5"));
    /* The second has a past of its own, which must leave no trace. */
    assert_done(second.ctx, brn_sim_step(second.sim, NULL));
    assert_done(second.ctx, brn_sim_load(second.sim, "resume_sim.h5"));
    assert_int_equal(brn_sim_step_count(second.sim), BEFORE);
    for (int i = 0; i < AFTER; ++i) {
        assert_true(brn_sim_hash(whole.sim) == brn_sim_hash(second.sim));
        brn_report one;
        brn_report other;
        assert_done(whole.ctx, brn_sim_step(whole.sim, &one));
        assert_done(second.ctx, brn_sim_step(second.sim, &other));
        assert_int_equal(one.substeps, other.substeps);
        assert_int_equal(one.iterations, other.iterations);
        assert_true(one.energy_error == other.energy_error);
        substeps = one.substeps > substeps ? one.substeps : substeps;
    }
    assert_true(brn_sim_hash(whole.sim) == brn_sim_hash(second.sim));
    flow_close(&whole);
    flow_close(&first);
    flow_close(&second);
    return substeps;
}

static void test_save_and_load(void **state)
{
    (void)state;
    for (int i = 0; i < FLOW_INTEGRATORS; ++i) {
        char sets[200];
        (void)snprintf(sets, sizeof sets, "integrator=%s;%s", flow_integrators[i], step_for(i));
        assert_int_equal(save_and_load(sets), 1);
    }
}

/* So few Newton iterations do not do for a whole step here: steps are put together from parts. (The symmetric part of a
   pressure's stiffness makes Newton converge linearly, which a static run shows most.) */
static void test_save_and_load_substeps(void **state)
{
    (void)state;
    for (int i = 0; i < FLOW_INTEGRATORS; ++i) {
        if (i != FLOW_SYMPLECTIC) {
            char sets[200];
            (void)snprintf(sets, sizeof sets,
                           "integrator=%s;method={type: none, iterations: %d};time.step=%s;time.end=1",
                           flow_integrators[i], i == FLOW_STATIC ? 5 : 3, i == FLOW_STATIC ? "0.1" : "8e-3");
            assert_true(save_and_load(sets) > 1);
        }
    }
}

/* ---- checkpoints that do not belong ---------------------------------------------------------------------------------- */

/* What is changed, and the part that is named. */
static const struct {
    const char *set, *part;
} other_scenes[] = {
    {"materials.a.young=1.0001e5", "material of body 'a'"},
    {"materials.a.damping.beta=2e-4", "material of body 'a'"},
    {"materials.a.type=stvk", "material of body 'a'"},
    {"gravity=[0,0,-9.8]", "gravity"},
    {"integrator=bdf2", "integrator"},
    {"bodies.a.mass=lumped", "mass of body 'a'"},
    {"bodies.a.velocity=[0,0,0.2]", "initial velocity of body 'a'"},
    {"bodies.a.position=[0,0,0.2]", "shape and place of body 'a'"},
    {"meshes.m.box.element=tet4", "shape and place of body 'a'"},
    {"fixed[0].motion.velocity=[0.3,0,0.2]", "hold or motion of 'foot'"},
    {"fixed[0].motion.until=0.04", "hold or motion of 'foot'"},
    {"fixed[0].axes=xy", "hold or motion of 'foot'"},
    {"fixed[0].where={face: +y}", "hold or motion of 'foot'"},
    {"loads[0].pressure=2001", "load 'load0'"},
    {"loads[0].where={face: +x}", "load 'load0'"},
    {"loads[0].where={face: -y}", "load 'load0'"},
    {"loads[0].ramp.to=0.02", "load 'load0'"},
    {"loads[1].traction=[0,501,0]", "load 'load1'"},
    {"loads[1].where={face: -x}", "load 'load1'"},
    {"contact.friction=0.1", "contact.friction"},
    {"contact.pairs=[{between: [a, a], friction: 0.2}]", "contact.friction"},
    {"contact.self=false", "contact.self"},
    {"method={type: ipc}", "method"},
    {"method={type: none, tolerance: 1e-7}", "method.tolerance"},
    {"method={type: none, iterations: 51}", "method.iterations"},
    {"method={type: none, solver: pcg}", "method.solver"},
};

/* Whether the message names this part. */
static bool names_part(const char *message, const char *part)
{
    const char *at = strstr(message, "another scene (");
    const char *found = at != NULL ? strstr(at, part) : NULL;
    return found != NULL && (found[-1] == '(' || found[-1] == ' ') &&
           strchr(",)", found[strlen(part)]) != NULL;
}

static void test_other_scene_refused(void **state)
{
    (void)state;
    flow f = flow_open(1, scene_3d, NULL);
    assert_done(f.ctx, brn_sim_step(f.sim, NULL));
    assert_done(f.ctx, brn_sim_save(f.sim, "resume_other.h5"));
    flow_close(&f);
    for (size_t i = 0; i < sizeof other_scenes / sizeof *other_scenes; ++i) {
        flow g = flow_open(1, scene_3d, other_scenes[i].set);
        const uint64_t hash = brn_sim_hash(g.sim);
        if (brn_sim_load(g.sim, "resume_other.h5") != BRN_ERR_FORMAT) {
            fail_msg("%s: the checkpoint was taken", other_scenes[i].set);
        }
        if (!names_part(brn_ctx_message(g.ctx), other_scenes[i].part)) {
            fail_msg("%s: '%s' does not name %s", other_scenes[i].set, brn_ctx_message(g.ctx),
                     other_scenes[i].part);
        }
        assert_true(brn_sim_hash(g.sim) == hash);
        flow_close(&g);
    }
    /* What does not change the motion does not matter: the end may be moved, output chosen anew. */
    flow g = flow_open(1, scene_3d,
                       "time.end=0.1;output.fields=[];output.every=0.01;output.probes=[];output.report=1;"
                       "output.checkpoint=7;title=other");
    assert_done(g.ctx, brn_sim_load(g.sim, "resume_other.h5"));
    flow_close(&g);
}

/* A static run ramps gravity over its length: its end is a part of the scene. */
static void test_static_end_refused(void **state)
{
    (void)state;
    flow f = flow_open(1, scene_3d, "integrator=static");
    assert_done(f.ctx, brn_sim_save(f.sim, "resume_static.h5"));
    flow g = flow_open(1, scene_3d, "integrator=static;time.end=0.1");
    assert_int_equal(brn_sim_load(g.sim, "resume_static.h5"), BRN_ERR_FORMAT);
    assert_non_null(strstr(brn_ctx_message(g.ctx), "another scene (time.end"));
    flow_close(&g);
    flow_close(&f);
}

static const char scene_ipc[] =
    "brunt: 1\ntime: {step: 2e-3, end: 0.06}\nmethod: {type: ipc}\n"
    "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4, density: 1000}}\n"
    "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1], element: hex8}}}\n"
    "bodies:\n"
    "  - {name: a, type: deformable, mesh: m, material: a}\n"
    "  - {name: b, type: rigid, shape: {sphere: {radius: 0.1}}, position: [1, 0, 0]}\n"
    "  - {name: c, type: static, shape: {sphere: {radius: 0.1}}, position: [2, 0, 0]}\n";

static const char *const other_ipc[][2] = {
    {"method.dhat=1e-3", "method.dhat"},
    {"method.kappa=1e5", "method.kappa"},
    {"method.barrier=lecture", "method.barrier"},
    {"method.convergent=true", "method.convergent"},
    {"method.friction_speed=1e-3", "method.friction_speed"},
    {"method.friction_iterations=2", "method.friction_iterations"},
    {"method.tolerance=1e-3", "method.tolerance"},
    {"method.iterations=10", "method.iterations"},
    {"method.solver=pcg", "method.solver"},
    {"contact.pairs=[{between: [a, c], friction: 0.2}]", "contact.friction"},
    {"bodies.b.density=900", "mass of body 'b'"},
    {"bodies.b.stiffness=1e7", "material of body 'b'"},
    {"bodies.b.angular_velocity=[0,0,1]", "initial velocity of body 'b'"},
    {"bodies.b.shape.sphere.radius=0.11", "shape and place of body 'b'"},
    {"bodies.c.shape.sphere.radius=0.11", "shape and place of body 'c'"},
    {"bodies.c.motion.velocity=[1,0,0]", "hold or motion of 'c'"},
    {"bodies.c.name=d", "shape and place of body 'd'"},
};

/* Every parameter of a method counts, given or not. */
static void test_other_contact_refused(void **state)
{
    (void)state;
    flow f = flow_open(1, scene_ipc, NULL);
    assert_done(f.ctx, brn_sim_save(f.sim, "resume_ipc.h5"));
    for (int i = 0; i < (int)(sizeof other_ipc / sizeof *other_ipc); ++i) {
        flow g = flow_open(1, scene_ipc, other_ipc[i][0]);
        assert_int_equal(brn_sim_load(g.sim, "resume_ipc.h5"), BRN_ERR_FORMAT);
        if (!names_part(brn_ctx_message(g.ctx), other_ipc[i][1])) {
            fail_msg("%s: %s", other_ipc[i][0], brn_ctx_message(g.ctx));
        }
        flow_close(&g);
    }
    /* the same scene, made again */
    flow g = flow_open(1, scene_ipc, "title=again");
    assert_done(g.ctx, brn_sim_load(g.sim, "resume_ipc.h5"));
    flow_close(&g);
    flow_close(&f);
}

/* Copies share their laws of contact until a pair names one of them. */
static void test_copies(void **state)
{
    (void)state;
    static const char piled[] =
        "brunt: 1\ntime: {step: 2e-3, end: 0.06}\nmethod: {type: ipc}\n"
        "bodies:\n"
        "  - {name: b, type: rigid, shape: {sphere: {radius: 0.1}}, repeat: {count: 9, spacing: [0, 0, "
        "0.3]}}\n"
        "  - {name: c, type: static, shape: {sphere: {radius: 0.1}}, position: [2, 0, 0]}\n";
    flow f = flow_open(1, piled, NULL);
    assert_true(f.model->nkind < f.model->nbody);
    assert_done(f.ctx, brn_sim_save(f.sim, "resume_copies.h5"));
    flow g = flow_open(1, piled, "title=again");
    assert_done(g.ctx, brn_sim_load(g.sim, "resume_copies.h5"));
    flow_close(&g);
    g = flow_open(1, piled, "contact.pairs=[{between: [b_3, c], friction: 0.2}]");
    assert_int_equal(brn_sim_load(g.sim, "resume_copies.h5"), BRN_ERR_FORMAT);
    assert_non_null(strstr(brn_ctx_message(g.ctx), "another scene (contact.friction);"));
    flow_close(&g);
    flow_close(&f);
}

static char *read_whole(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *length = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*length + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *length, file), *length);
    bytes[*length] = '\0';
    (void)fclose(file);
    return bytes;
}

static void write_whole(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* Cut anywhere or with any one byte changed: refused, and the simulation goes on as if nothing had been asked. */
static void test_damaged_refused(void **state)
{
    (void)state;
    flow f = flow_open(1, scene_3d, "integrator=newmark");
    assert_done(f.ctx, brn_sim_step(f.sim, NULL));
    assert_done(f.ctx, brn_sim_save(f.sim, "resume_damaged.h5"));
    assert_done(f.ctx, brn_sim_step(f.sim, NULL));
    const uint64_t hash = brn_sim_hash(f.sim);
    size_t length = 0;
    char *bytes = read_whole("resume_damaged.h5", &length);
    const size_t stride = length / 61 + 1;
    for (size_t at = 0; at < length; at += stride) {
        write_whole("resume_damaged.h5", bytes, at);
        assert_true(brn_sim_load(f.sim, "resume_damaged.h5") < 0);
        assert_true(brn_ctx_message(f.ctx)[0] != '\0');
        bytes[at] ^= 0x10;
        write_whole("resume_damaged.h5", bytes, length);
        bytes[at] ^= 0x10;
        /* Bytes that nothing reads (the user block's filling) may differ; then the whole state is there. */
        const brn_status status = brn_sim_load(f.sim, "resume_damaged.h5");
        if (status >= 0) {
            assert_int_equal(brn_sim_step_count(f.sim), 1);
            assert_done(f.ctx, brn_sim_step(f.sim, NULL));
        }
        assert_true(brn_sim_hash(f.sim) == hash);
    }
    free(bytes);
    assert_int_equal(brn_sim_load(f.sim, "resume_absent.h5"), BRN_ERR_FILE);
    assert_true(brn_sim_hash(f.sim) == hash);
    flow_close(&f);
}

/* Holds that end within a step cut it, on whichever side of it the run was interrupted. */
static void test_releases_within_steps(void **state)
{
    (void)state;
    enum { STEPS = 7 };
    static const char text[] =
        "brunt: 1\ntime: {step: 0.01, end: 0.07}\nmethod: {type: none}\n"
        "materials: {a: {type: neo_hookean, young: 1.0e5, poisson: 0.3, density: 1000}}\n"
        "meshes: {m: {box: {size: [0.3, 0.1, 0.1], cells: [3, 1, 1]}}}\n"
        "bodies: [{name: b, type: deformable, mesh: m, material: a, angular_velocity: [1, 2, 3]}]\n"
        "fixed:\n  - {body: b, where: {face: -x}, release: 0.023}\n"
        "  - {body: b, where: {face: +x}, release: 0.03}\n" /* at the seam of two steps */
        "  - {body: b, where: {face: -y}, axes: y, release: 0.0599999}\n";
    static const char *const integrators[] = {"integrator=bdf2", "integrator=newmark", "integrator=midpoint",
                                              "integrator=implicit_euler"};
    for (int k = 0; k < 4; ++k) {
        flow f = flow_open(1, text, integrators[k]);
        char path[STEPS][40];
        for (int n = 0; n < STEPS; ++n) {
            (void)snprintf(path[n], sizeof path[n], "resume_release_%d.h5", n);
            assert_done(f.ctx, brn_sim_save(f.sim, path[n]));
            assert_done(f.ctx, brn_sim_step(f.sim, NULL));
        }
        const uint64_t hash = brn_sim_hash(f.sim);
        for (int n = 0; n < STEPS; ++n) {
            flow g = flow_open(2, text, integrators[k]);
            assert_done(g.ctx, brn_sim_load(g.sim, path[n]));
            for (int i = n; i < STEPS; ++i) {
                assert_done(g.ctx, brn_sim_step(g.sim, NULL));
            }
            if (brn_sim_hash(g.sim) != hash) {
                fail_msg("%s: other bits after a resume at step %d", integrators[k], n);
            }
            flow_close(&g);
        }
        flow_close(&f);
    }
}

/* A run that cannot resume leaves everything in its folder as it was. */
static void test_refused_run_keeps_the_folder(void **state)
{
    (void)state;
    static const char *const files[] = {"series.csv", "trajectory.h5", "checkpoint.h5", "summary.json",
                                        "scene.yaml"};
    enum { FILES = sizeof files / sizeof *files };
    flow_clear_folder("resume_refused");
    brn_ctx *ctx = test_ctx(1);
    brn_scene *scene = NULL;
    brn_scene *other = NULL;
    brn_summary summary;
    brn_run_options options = brn_run_options_default();
    options.out = "resume_refused";
    assert_done(ctx, flow_scene(ctx, scene_3d, NULL, &scene));
    assert_done(ctx, brn_run(ctx, scene, &options, &summary));
    char *before[FILES];
    size_t length[FILES];
    char path[200];
    for (int i = 0; i < FILES; ++i) {
        (void)snprintf(path, sizeof path, "resume_refused/%s", files[i]);
        before[i] = read_whole(path, &length[i]);
    }
    assert_done(ctx, flow_scene(ctx, scene_3d, "materials.a.young=2e5", &other));
    /* neither resumed by another scene, nor overwritten without a word */
    options.resume = true;
    assert_int_equal(brn_run(ctx, other, &options, &summary), BRN_ERR_FORMAT);
    assert_non_null(strstr(brn_ctx_message(ctx), "another scene"));
    options.resume = false;
    assert_int_equal(brn_run(ctx, other, &options, &summary), BRN_ERR_FILE);
    assert_non_null(strstr(brn_ctx_message(ctx), "already holds a run"));
    /* nor with other columns or fields than its files have */
    static const char *const outputs[][2] = {
        {"output.fields=[stress, velocity];time.end=0.1", "/frames/force, which output.fields does not ask"},
        {"output.fields=[stress, velocity, force, contact];time.end=0.1", "no /frames/contact/end, which"},
        {"output.probes=[];time.end=0.1", "columns are not those of this run"},
    };
    options.resume = true;
    for (int i = 0; i < 3; ++i) {
        brn_scene *changed = NULL;
        assert_done(ctx, flow_scene(ctx, scene_3d, outputs[i][0], &changed));
        assert_int_equal(brn_run(ctx, changed, &options, &summary), BRN_ERR_FORMAT);
        if (strstr(brn_ctx_message(ctx), outputs[i][1]) == NULL) {
            fail_msg("%s: %s", outputs[i][0], brn_ctx_message(ctx));
        }
        brn_scene_destroy(changed);
    }
    for (int i = 0; i < FILES; ++i) {
        size_t now = 0;
        (void)snprintf(path, sizeof path, "resume_refused/%s", files[i]);
        char *after = read_whole(path, &now);
        assert_int_equal(now, length[i]);
        assert_memory_equal(after, before[i], now);
        free(after);
        free(before[i]);
    }
    brn_scene_destroy(scene);
    brn_scene_destroy(other);
    brn_ctx_destroy(ctx);
}

/* ---- killed runs ------------------------------------------------------------------------------------------------------ */

static int64_t die_at; /* a child kills itself after this step; 0: it does not */

static bool tell_pipe(void *user, const brn_progress *progress)
{
    if (progress->step == die_at) {
        (void)raise(SIGKILL);
    }
    const char byte = '.';
    return write(*(int *)user, &byte, 1) != 1;
}

enum { FRESH, RESUME, OVERWRITE };

/* A child that runs (or resumes) the scene into `out`; a byte down the pipe after every step. */
static pid_t start_child(const char *sets, const char *out, int how, int *from)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    (void)fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)close(ends[0]);
        brn_ctx_options standard = brn_ctx_options_default();
        standard.threads = 2;
        brn_ctx *ctx = NULL;
        brn_scene *scene = NULL;
        brn_summary summary;
        brn_run_options options = brn_run_options_default();
        options.out = out;
        options.resume = how == RESUME;
        options.overwrite = how == OVERWRITE;
        options.checkpoint_every = 3;
        options.progress = tell_pipe;
        options.progress_user = &ends[1];
        if (brn_ctx_create(&standard, &ctx) < 0 || flow_scene(ctx, scene_3d, sets, &scene) < 0) {
            _exit(90);
        }
        const brn_status status = brn_run(ctx, scene, &options, &summary);
        if (status < 0) {
            print_error("%s: %s\n", brn_status_name(status), brn_ctx_message(ctx));
        }
        _exit(status == BRN_OK ? 0 : 91);
    }
    (void)close(ends[1]);
    *from = ends[0];
    return child;
}

/* Lets the child do `steps` steps and then `pause` ns more; true if it was killed rather than done. */
static bool kill_child(pid_t child, int from, int steps, long pause)
{
    char byte;
    for (int i = 0; i < steps; ++i) {
        if (read(from, &byte, 1) != 1) {
            break;
        }
    }
    const struct timespec wait = {.tv_nsec = pause};
    (void)nanosleep(&wait, NULL);
    (void)kill(child, SIGKILL);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    (void)close(from);
    if (WIFEXITED(status)) {
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    return WIFSIGNALED(status);
}

/* series.csv without the column of wall times. */
static char *rows_without_wall(const char *dir)
{
    char path[200];
    size_t length = 0;
    (void)snprintf(path, sizeof path, "%s/series.csv", dir);
    char *text = read_whole(path, &length);
    int wall = -1;
    int column = 0;
    size_t kept = 0;
    for (size_t i = 0; i < length; ++i) {
        if (wall < 0 && strncmp(&text[i], "wall_s", 6) == 0) {
            wall = column;
        }
        if (column != wall) {
            text[kept++] = text[i];
        }
        column = text[i] == '\n' ? 0 : column + (text[i] == ',');
    }
    assert_true(wall >= 0);
    text[kept] = '\0';
    return text;
}

static void compare_trajectories(const char *one, const char *other)
{
    brn_ctx *ctx = test_ctx(1);
    brn_playback *playback[2] = {NULL, NULL};
    const char *const dirs[] = {one, other};
    for (int i = 0; i < 2; ++i) {
        char path[200];
        (void)snprintf(path, sizeof path, "%s/trajectory.h5", dirs[i]);
        assert_done(ctx, brn_playback_open(ctx, path, &playback[i]));
    }
    const brn_playback_info *info = brn_playback_get(playback[0]);
    assert_int_equal(info->nframe, brn_playback_get(playback[1])->nframe);
    const size_t n = (size_t)info->nnode * 3;
    double *numbers = calloc(2 * 5 * n, sizeof *numbers);
    assert_non_null(numbers);
    for (int k = 0; k < info->nframe; ++k) {
        brn_frame frame[2];
        for (int i = 0; i < 2; ++i) {
            double *at = &numbers[5 * n * (size_t)i];
            frame[i] = (brn_frame){.pos = at, .vel = at + n, .force = at + 2 * n, .node_stress = at + 3 * n};
            assert_done(ctx, brn_playback_read(playback[i], k, &frame[i]));
        }
        assert_true(frame[0].time == frame[1].time);
        assert_int_equal(frame[0].step, frame[1].step);
        assert_memory_equal(numbers, &numbers[5 * n], 5 * n * sizeof *numbers);
    }
    free(numbers);
    brn_playback_close(playback[0]);
    brn_playback_close(playback[1]);
    brn_ctx_destroy(ctx);
}

static void hash_line(const char *dir, char line[80])
{
    char path[200];
    size_t length = 0;
    (void)snprintf(path, sizeof path, "%s/summary.json", dir);
    char *text = read_whole(path, &length);
    const char *at = strstr(text, "\"state_hash\"");
    assert_non_null(at);
    (void)snprintf(line, 80, "%.*s", (int)strcspn(at, "\n"), at);
    assert_non_null(strstr(text, "\"done\""));
    free(text);
}

static void killed_run(int integrator, unsigned *seed)
{
    char sets[200];
    (void)snprintf(sets, sizeof sets, "integrator=%s;%s", flow_integrators[integrator], step_for(integrator));
    flow_clear_folder("resume_whole");
    flow_clear_folder("resume_killed");
    int from = -1;
    pid_t child = start_child(sets, "resume_whole", FRESH, &from);
    assert_false(kill_child(child, from, 1000, 0));
    /* Killed over and over: at a step or between steps, also before the first checkpoint. */
    int kills = 0;
    bool alive = true;
    for (int k = 0; k < 6 && alive; ++k) {
        child = start_child(sets, "resume_killed", RESUME, &from);
        *seed = *seed * 1103515245u + 12345u;
        const unsigned draw = *seed >> 12;
        alive = kill_child(child, from, (int)(draw % 9), (long)(draw % 3000) * 1000);
        kills += alive;
    }
    assert_true(kills >= 3);
    child = start_child(sets, "resume_killed", RESUME, &from);
    assert_false(kill_child(child, from, 1000, 0));
    char want[80];
    char got[80];
    hash_line("resume_whole", want);
    hash_line("resume_killed", got);
    assert_string_equal(got, want);
    char *rows = rows_without_wall("resume_whole");
    char *resumed = rows_without_wall("resume_killed");
    assert_string_equal(resumed, rows);
    free(rows);
    free(resumed);
    compare_trajectories("resume_whole", "resume_killed");
}

static void test_killed_runs(void **state)
{
    (void)state;
    unsigned seed = 4321;
    for (int i = 0; i < FLOW_INTEGRATORS; ++i) {
        killed_run(i, &seed);
    }
}

/* ---- one folder, one run ------------------------------------------------------------------------------------------------ */

static bool holds(const char *dir, const char *file, const char *word)
{
    char path[200];
    size_t length = 0;
    (void)snprintf(path, sizeof path, "%s/%s", dir, file);
    if (access(path, F_OK) != 0) {
        return false;
    }
    char *text = read_whole(path, &length);
    const bool found = strstr(text, word) != NULL;
    free(text);
    return found;
}

static int count_lines(const char *dir)
{
    char path[200];
    size_t length = 0;
    int lines = 0;
    (void)snprintf(path, sizeof path, "%s/series.csv", dir);
    char *text = read_whole(path, &length);
    for (size_t i = 0; i < length; ++i) {
        lines += text[i] == '\n';
    }
    free(text);
    return lines;
}

/* A run that replaces a finished one, or goes on beyond its end, and is killed: nothing in its folder says that it is done, and
   the scene is its own. Resumed, it ends as a run that was never killed. */
static void killed_over_another(int how)
{
    static const char longer[] = "time.end=0.12;title=longer";
    flow_clear_folder("resume_whole");
    flow_clear_folder("resume_over");
    int from = -1;
    pid_t child = start_child("title=shorter", "resume_over", FRESH, &from);
    assert_false(kill_child(child, from, 1000, 0));
    assert_true(holds("resume_over", "summary.json", "\"done\""));
    assert_true(holds("resume_over", "report.html", "") && holds("resume_over", "scene.yaml", "shorter"));
    assert_int_equal(count_lines("resume_over"), 2 + 30);
    assert_int_equal(system("mkdir resume_over/vtu && echo old > resume_over/vtu/trajectory.pvd"), 0);

    die_at = how == RESUME ? 30 + 7 : 7;
    child = start_child(longer, "resume_over", how, &from);
    assert_true(kill_child(child, from, 1000, 0));
    die_at = 0;
    assert_false(holds("resume_over", "summary.json", ""));
    assert_false(holds("resume_over", "report.html", ""));
    assert_true(holds("resume_over", "vtu/trajectory.pvd", "") == (how == RESUME));
    assert_true(holds("resume_over", "scene.yaml", "longer"));
    assert_int_equal(count_lines("resume_over"), 2 + (how == RESUME ? 30 + 7 : 7));

    child = start_child(longer, "resume_over", RESUME, &from);
    assert_false(kill_child(child, from, 1000, 0));
    child = start_child(longer, "resume_whole", FRESH, &from);
    assert_false(kill_child(child, from, 1000, 0));
    char want[80];
    char got[80];
    hash_line("resume_whole", want);
    hash_line("resume_over", got);
    assert_string_equal(got, want);
    char *rows = rows_without_wall("resume_whole");
    char *resumed = rows_without_wall("resume_over");
    assert_string_equal(resumed, rows);
    free(rows);
    free(resumed);
}

static void test_killed_over_another(void **state)
{
    (void)state;
    killed_over_another(OVERWRITE);
    killed_over_another(RESUME);
}

/* A new run that cannot start leaves the old one in its folder as it was. */
static void test_no_start_keeps_the_folder(void **state)
{
    (void)state;
    static const char *const files[] = {"summary.json", "report.html",   "checkpoint.h5",
                                        "series.csv",   "trajectory.h5", "scene.yaml"};
    static const char apart[] = "brunt: 1\ntime: {step: 1e-3, end: 2e-3}\nmethod: ipc\n"
                                "materials: {a: {type: stvk, young: 1e5, poisson: 0.4}}\n"
                                "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}}}\n"
                                "bodies: [{name: a, type: deformable, mesh: m, material: a},\n"
                                "         {name: b, type: static, mesh: m, position: [0, 0, -1]}]\n";
    flow_clear_folder("resume_apart");
    brn_ctx *ctx = test_ctx(1);
    brn_scene *scene = NULL;
    brn_scene *other = NULL;
    brn_summary summary;
    brn_run_options options = brn_run_options_default();
    options.out = "resume_apart";
    assert_done(ctx, flow_scene(ctx, apart, NULL, &scene));
    assert_done(ctx, brn_run(ctx, scene, &options, &summary));
    assert_done(ctx, flow_scene(ctx, apart, "bodies.b.position=[0,0,0.05]", &other)); /* they intersect */
    options.overwrite = true;
    assert_int_equal(brn_run(ctx, other, &options, &summary), BRN_ERR_SCENE);
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        assert_true(holds("resume_apart", files[i], ""));
    }
    assert_false(holds("resume_apart", "scene.yaml", "0.05"));
    brn_scene_destroy(scene);
    brn_scene_destroy(other);
    brn_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_save_and_load),
        cmocka_unit_test(test_save_and_load_substeps),
        cmocka_unit_test(test_other_scene_refused),
        cmocka_unit_test(test_static_end_refused),
        cmocka_unit_test(test_other_contact_refused),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_damaged_refused),
        cmocka_unit_test(test_releases_within_steps),
        cmocka_unit_test(test_refused_run_keeps_the_folder),
        cmocka_unit_test(test_killed_runs),
        cmocka_unit_test(test_killed_over_another),
        cmocka_unit_test(test_no_start_keeps_the_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
