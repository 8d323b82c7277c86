/* Every function of the public headers with NULL for every pointer in turn, with numbers out of range, and out of order: an error
   or an empty value, never a crash. Each call is made by a process of its own. The headers themselves are read to see that no
   function and no pointer was left out. */
#include "test.h"

#include <brunt/design.h>
#include <brunt/study.h>
#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/wait.h>
#include <unistd.h>

static const char scene_text[] =
    "brunt: 1\n"
    "time: {step: 0.01, end: 0.03}\n"
    "method: {type: ipc}\n"
    "materials: {m: {type: neo_hookean, young: 1e5, poisson: 0.3, density: 1000}}\n"
    "meshes: {a: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}\n"
    "bodies:\n"
    "  - {name: floor, type: static, shape: {plane: {}}, motion: {velocity: [0, 0, 0.01]}}\n"
    "  - {name: block, type: deformable, mesh: a, material: m, position: [0, 0, 0.51]}\n";
static const char *const run_dir = "public_calls_run";

static const brn_cone_problem one_contact = {.dim = 2,
                                             .contacts = 1,
                                             .first = (const int[]){0, 1},
                                             .column = (const int[]){0},
                                             .w = (const double[]){2.0, 0.0, 0.0, 1.0},
                                             .q = (const double[]){-1.0, 0.5},
                                             .mu = (const double[]){0.5}};

/* One of everything. */
typedef struct things {
    brn_ctx *ctx;
    brn_scene *scene;
    brn_model *model;
    brn_sim *sim;
    brn_json *json;
    brn_view *view, *live;
    brn_snapshot *snapshot;
    brn_report report;
    brn_summary summary;
    brn_difference difference;
    /* where results go */
    brn_ctx *ctx_out;
    brn_scene *scene_out;
    brn_model *model_out;
    brn_sim *sim_out;
    brn_json *json_out;
    brn_lock *lock;
    brn_view *view_out;
    brn_snapshot *snapshot_out;
    brn_lock *lock_out;
    brn_model_info model_info;
    brn_body_info body_info;
    brn_attachment_info attachment;
    brn_connection_info connection;
    brn_prediction prediction;
    brn_start start;
    brn_contact_total total;
    brn_joint_facts joint;
    brn_joint_state joint_state;
    brn_link_state link;
    brn_figure figure;
    brn_export_options export;
    char *text;
    const char *view_text;
    const void *bytes;
    const double *row, *other_row;
    const char *dirs[2];
    double real, other_real, vector[3];
    brn_cone_file *cone_file;
    brn_cone_report cone_report;
    brn_stage_result stage;
    double impulse[3], velocity[3];
    size_t size;
    int count;
    brn_vibration *vibration, *vibration_out;
    brn_vibration_mode mode;
    brn_trace *trace;
    brn_ring_down ring_down;
    brn_ring_mode ring;
    brn_calibration calibration;
    brn_calibrated_list *calibrated;
    brn_calibrated value;
    brn_coarsening *coarsening, *coarsening_out;
    brn_coarsen_result coarse;
    brn_coarsen_level coarse_level;
    brn_coarsen_mode coarse_mode;
    brn_coarsen_shape coarse_shape;
    brn_design *design, *design_out; /* prepared, but not run */
    brn_design_options study;
    brn_design_result result;
    brn_design_parameter parameter;
    brn_design_evaluation evaluation;
} things;

/* A cube of one cell is coarse enough. */
static const brn_coarsen_options any_shape = {.change = 1.0, .shape = 10.0, .spread = 10.0, .limit = 50};

static const char design_text[] =
    "brunt: 1\nscene: calls-scene.yaml\nparameters: [{name: dt, path: time.step, min: 1e-3, max: 1e-2}]\n"
    "objective: kinetic\n";

static void make_things(things *t)
{
    memset(t, 0, sizeof *t);
    t->ctx = test_ctx(1);
    t->export = brn_export_options_default();
    assert_done(t->ctx, brn_scene_parse(t->ctx, scene_text, strlen(scene_text), "calls.yaml", &t->scene));
    brn_run_options options = brn_run_options_default();
    options.out = run_dir;
    options.overwrite = true;
    assert_done(t->ctx, brn_run(t->ctx, t->scene, &options, &t->summary));
    assert_done(t->ctx, brn_model_compile(t->ctx, t->scene, &t->model));
    assert_done(t->ctx, brn_sim_create(t->ctx, t->model, &t->sim));
    assert_done(t->ctx, brn_json_create(t->ctx, 0, &t->json));
    assert_done(t->ctx, brn_view_open(t->ctx, run_dir, &t->view));
    assert_done(t->ctx, brn_view_live(t->ctx, t->model, scene_text, &t->live));
    assert_done(t->ctx, brn_snapshot_create(t->ctx, t->model, &t->snapshot));
    assert_done(t->ctx, brn_vibration_find(t->ctx, t->model, NULL, &t->vibration));
    assert_done(t->ctx, brn_calibrate(t->ctx, t->scene, &(brn_ring_mode){.frequency = 1.0}, NULL,
                                      &t->calibration, &t->calibrated));
    assert_done(t->ctx, brn_scene_parse(t->ctx, scene_text, strlen(scene_text), "calls.yaml", &t->scene_out));
    assert_done(t->ctx, brn_coarsen(t->ctx, t->scene_out, &any_shape, &t->coarsening));
    brn_scene_destroy(t->scene_out);
    t->dirs[0] = run_dir;
    test_write_file("calls-scene.yaml", scene_text);
    assert_done(t->ctx, brn_design_parse(t->ctx, design_text, strlen(design_text), "calls-design.yaml",
                                         BRN_DESIGN_SEARCH, &t->design));
    assert_done(t->ctx, brn_design_prepare(t->design));
    t->study = brn_design_options_default();
}

static void free_things(things *t)
{
    brn_calibrated_destroy(t->calibrated);
    brn_coarsening_destroy(t->coarsening);
    brn_design_destroy(t->design);
    brn_vibration_destroy(t->vibration);
    brn_snapshot_destroy(t->snapshot);
    brn_view_close(t->live);
    brn_view_close(t->view);
    brn_json_destroy(t->json);
    brn_sim_destroy(t->sim);
    brn_model_destroy(t->model);
    brn_scene_destroy(t->scene);
    brn_ctx_destroy(t->ctx);
}

/* ---- the calls ----------------------------------------------------------------------------------------------------------- */

/* How a call must end: with an error, with success (NULL is allowed there), or anyhow. */
typedef enum outcome { FAILS, WORKS, RETURNS } outcome;

/* Call number `wanted`: its text and how it must end; made if t is given. False: there is none of that number. A call is filed
   under the function's name, which comes first. */
#define CALL(how, ...)                   \
 do {                                    \
  if (index++ == wanted) {               \
   *text = #__VA_ARGS__;                 \
   *ends = how;                          \
   if (t != NULL) {                      \
    *status = MAKE_##how((__VA_ARGS__)); \
   }                                     \
   return true;                          \
  }                                      \
 } while (0)
#define MAKE_FAILS(value)   ((int)(value))
#define MAKE_WORKS(value)   ((int)(value))
#define MAKE_RETURNS(value) ((void)(value), 0) /* only a status says something */

static bool call(int wanted, things *t, const char **text, outcome *ends, int *status)
{
    int index = 0;
    CALL(RETURNS, brn_status_name((brn_status)12345));
    CALL(RETURNS, brn_ctx_options_default());
    CALL(WORKS, brn_ctx_create(NULL, &t->ctx_out));
    CALL(FAILS, brn_ctx_create(NULL, NULL));
    CALL(RETURNS, brn_ctx_destroy(NULL));
    CALL(RETURNS, brn_ctx_message(NULL));
    CALL(RETURNS, brn_ctx_threads(NULL));
    CALL(RETURNS, brn_ctx_cancel(NULL, true));
    CALL(RETURNS, brn_ctx_free(NULL, NULL));
    CALL(RETURNS, brn_ctx_free(t->ctx, NULL));
    CALL(FAILS, brn_lock_take(NULL, ".", &t->lock));
    CALL(FAILS, brn_lock_take(t->ctx, NULL, &t->lock));
    CALL(FAILS, brn_lock_take(t->ctx, ".", NULL));
    CALL(RETURNS, brn_lock_release(NULL));
    CALL(FAILS, brn_json_create(NULL, 0, &t->json_out));
    CALL(FAILS, brn_json_create(t->ctx, 0, NULL));
    CALL(RETURNS, brn_json_destroy(NULL));
    CALL(RETURNS, brn_json_open(NULL, "a", '{'));
    CALL(RETURNS, brn_json_open(t->json, NULL, 'x'));
    CALL(RETURNS, brn_json_close(NULL));
    CALL(RETURNS, brn_json_close(t->json));
    CALL(RETURNS, brn_json_text(NULL, "a", "b"));
    CALL(RETURNS, brn_json_text(t->json, NULL, "b"));
    CALL(RETURNS, brn_json_text(t->json, "a", NULL));
    CALL(RETURNS, brn_json_real(NULL, "a", 1.0));
    CALL(RETURNS, brn_json_real(t->json, NULL, NAN));
    CALL(RETURNS, brn_json_int(NULL, "a", 1));
    CALL(RETURNS, brn_json_int(t->json, NULL, INT64_MIN));
    CALL(RETURNS, brn_json_bool(NULL, "a", true));
    CALL(RETURNS, brn_json_bool(t->json, NULL, true));
    CALL(FAILS, brn_json_get(t->json, &t->view_text, &t->size));
    CALL(FAILS, brn_json_get(NULL, &t->view_text, &t->size));
    CALL(FAILS, brn_json_get(t->json, NULL, &t->size));
    CALL(FAILS, brn_json_get(t->json, &t->view_text, NULL));
    CALL(FAILS, brn_scene_load(NULL, "calls.yaml", &t->scene_out));
    CALL(FAILS, brn_scene_load(t->ctx, NULL, &t->scene_out));
    CALL(FAILS, brn_scene_load(t->ctx, "", &t->scene_out));
    CALL(FAILS, brn_scene_load(t->ctx, "calls.yaml", NULL));
    CALL(FAILS, brn_scene_parse(NULL, scene_text, 10, "calls.yaml", &t->scene_out));
    CALL(FAILS, brn_scene_parse(t->ctx, NULL, 0, "calls.yaml", &t->scene_out));
    CALL(FAILS, brn_scene_parse(t->ctx, NULL, 10, "calls.yaml", &t->scene_out));
    CALL(FAILS, brn_scene_parse(t->ctx, scene_text, SIZE_MAX, "calls.yaml", &t->scene_out));
    CALL(RETURNS, brn_scene_parse(t->ctx, "", 0, NULL, &t->scene_out));
    CALL(FAILS, brn_scene_parse(t->ctx, scene_text, 10, "calls.yaml", NULL));
    CALL(FAILS, brn_scene_set(NULL, "a=b"));
    CALL(FAILS, brn_scene_set(t->scene, NULL));
    CALL(FAILS, brn_scene_set(t->scene, ""));
    CALL(FAILS, brn_scene_set(t->scene, "="));
    CALL(FAILS, brn_scene_edit(NULL, "a: 1\n", "a=2", &t->text));
    CALL(FAILS, brn_scene_edit(t->ctx, NULL, "a=2", &t->text));
    CALL(FAILS, brn_scene_edit(t->ctx, "a: 1\n", NULL, &t->text));
    CALL(FAILS, brn_scene_edit(t->ctx, "a: 1\n", "a=2", NULL));
    CALL(FAILS, brn_scene_edit(t->ctx, "a: 1\n", "", &t->text));
    CALL(WORKS, brn_scene_edit(t->ctx, "", "a=2", &t->text));
    CALL(RETURNS, brn_scene_problem_count(NULL));
    CALL(RETURNS, brn_scene_problem(NULL, 0));
    CALL(RETURNS, brn_scene_problem(t->scene, INT_MAX));
    CALL(FAILS, brn_scene_write(NULL, &t->text));
    CALL(FAILS, brn_scene_write(t->scene, NULL));
    CALL(RETURNS, brn_scene_destroy(NULL));
    CALL(FAILS, brn_model_compile(NULL, t->scene, &t->model_out));
    CALL(FAILS, brn_model_compile(t->ctx, NULL, &t->model_out));
    CALL(FAILS, brn_model_compile(t->ctx, t->scene, NULL));
    CALL(RETURNS, brn_model_destroy(NULL));
    CALL(RETURNS, brn_model_get_info(NULL, &t->model_info));
    CALL(RETURNS, brn_model_get_info(t->model, NULL));
    CALL(FAILS, brn_model_get_body(NULL, 0, &t->body_info));
    CALL(FAILS, brn_model_get_body(t->model, 0, NULL));
    CALL(FAILS, brn_model_get_body(t->model, -1, &t->body_info));
    CALL(FAILS, brn_model_get_body(t->model, INT_MAX, &t->body_info));
    CALL(RETURNS, brn_model_find_body(NULL, "block"));
    CALL(RETURNS, brn_model_find_body(t->model, NULL));
    CALL(FAILS, brn_model_get_attachment(NULL, 0, &t->attachment));
    CALL(FAILS, brn_model_get_attachment(t->model, 0, NULL));
    CALL(FAILS, brn_model_get_attachment(t->model, 0, &t->attachment));
    CALL(FAILS, brn_model_get_connection(NULL, 0, &t->connection));
    CALL(FAILS, brn_model_get_connection(t->model, 0, NULL));
    CALL(FAILS, brn_model_get_connection(t->model, 0, &t->connection));
    CALL(FAILS, brn_model_estimate_steps(NULL, t->model, &t->real, &t->other_real));
    CALL(FAILS, brn_model_estimate_steps(t->ctx, NULL, &t->real, &t->other_real));
    CALL(FAILS, brn_model_estimate_steps(t->ctx, t->model, NULL, &t->other_real));
    CALL(FAILS, brn_model_estimate_steps(t->ctx, t->model, &t->real, NULL));
    CALL(FAILS, brn_model_predict(NULL, t->model, &t->prediction));
    CALL(FAILS, brn_model_predict(t->ctx, NULL, &t->prediction));
    CALL(FAILS, brn_model_predict(t->ctx, t->model, NULL));
    CALL(FAILS, brn_model_rehearse(NULL, t->model, &t->start, &t->text));
    CALL(FAILS, brn_model_rehearse(t->ctx, NULL, &t->start, &t->text));
    CALL(FAILS, brn_model_rehearse(t->ctx, t->model, NULL, &t->text));
    CALL(FAILS, brn_model_rehearse(t->ctx, t->model, &t->start, NULL));
    CALL(FAILS, brn_sim_create(NULL, t->model, &t->sim_out));
    CALL(FAILS, brn_sim_create(t->ctx, NULL, &t->sim_out));
    CALL(FAILS, brn_sim_create(t->ctx, t->model, NULL));
    CALL(RETURNS, brn_sim_destroy(NULL));
    CALL(FAILS, brn_sim_step(NULL, &t->report));
    CALL(WORKS, brn_sim_step(t->sim, NULL));
    CALL(FAILS, brn_sim_choices(NULL, true, &t->text));
    CALL(FAILS, brn_sim_choices(t->sim, false, NULL));
    CALL(RETURNS, brn_sim_done(NULL));
    CALL(RETURNS, brn_sim_time(NULL));
    CALL(RETURNS, brn_sim_step_count(NULL));
    CALL(RETURNS, brn_sim_positions(NULL));
    CALL(RETURNS, brn_sim_velocities(NULL));
    CALL(FAILS, brn_sim_forces(NULL, &t->row, &t->other_row));
    CALL(FAILS, brn_sim_forces(t->sim, NULL, &t->other_row));
    CALL(FAILS, brn_sim_forces(t->sim, &t->row, NULL));
    CALL(WORKS, brn_sim_forces(t->sim, &t->row, &t->other_row));
    CALL(RETURNS, brn_sim_contacts(NULL, &t->count));
    CALL(RETURNS, brn_sim_contacts(t->sim, NULL));
    CALL(RETURNS, brn_sim_contact_forces(NULL));
    CALL(RETURNS, brn_sim_contact_forces(t->sim));
    CALL(FAILS, brn_sim_stage(NULL, 0, &t->stage));
    CALL(FAILS, brn_sim_stage(t->sim, 0, NULL));
    CALL(FAILS, brn_sim_stage(t->sim, BRN_STAGE_LAUNCH, &t->stage)); /* the scene has none */
    CALL(RETURNS, brn_stage_name(INT_MIN));
    CALL(RETURNS, brn_landing_verdict(NULL));
    CALL(FAILS, brn_sim_contact_between(NULL, 0, 1, &t->total));
    CALL(FAILS, brn_sim_contact_between(t->sim, 0, 1, NULL));
    CALL(FAILS, brn_sim_contact_between(t->sim, -1, INT_MAX, &t->total));
    CALL(FAILS, brn_sim_edit(NULL, t->vector, t->vector));
    CALL(WORKS, brn_sim_edit(t->sim, NULL, brn_sim_velocities(t->sim)));
    CALL(WORKS, brn_sim_edit(t->sim, brn_sim_positions(t->sim), NULL));
    CALL(WORKS, brn_sim_edit(t->sim, NULL, NULL));
    CALL(RETURNS, brn_sim_hash(NULL));
    CALL(FAILS, brn_sim_save(NULL, "x.h5"));
    CALL(FAILS, brn_sim_save(t->sim, NULL));
    CALL(FAILS, brn_sim_save(t->sim, ""));
    CALL(FAILS, brn_sim_load(NULL, "x.h5"));
    CALL(FAILS, brn_sim_load(t->sim, NULL));
    CALL(FAILS, brn_sim_load(t->sim, ""));
    CALL(RETURNS, brn_model_joint_count(NULL));
    CALL(FAILS, brn_model_get_joint(NULL, 0, &t->joint));
    CALL(FAILS, brn_model_get_joint(t->model, 0, NULL));
    CALL(FAILS, brn_model_get_joint(t->model, 0, &t->joint)); /* there is no robot */
    CALL(RETURNS, brn_model_find_joint(NULL, "a/b"));
    CALL(RETURNS, brn_model_find_joint(t->model, NULL));
    CALL(RETURNS, brn_model_link_count(NULL));
    CALL(RETURNS, brn_model_link_name(NULL, 0));
    CALL(RETURNS, brn_model_link_name(t->model, INT_MAX));
    CALL(RETURNS, brn_model_find_link(NULL, "a/b"));
    CALL(RETURNS, brn_model_find_link(t->model, NULL));
    CALL(FAILS, brn_sim_get_joint(NULL, 0, &t->joint_state));
    CALL(FAILS, brn_sim_get_joint(t->sim, 0, NULL));
    CALL(FAILS, brn_sim_get_joint(t->sim, INT_MIN, &t->joint_state));
    CALL(FAILS, brn_sim_get_link(NULL, 0, &t->link));
    CALL(FAILS, brn_sim_get_link(t->sim, 0, NULL));
    CALL(FAILS, brn_sim_get_link(t->sim, INT_MAX, &t->link));
    CALL(FAILS, brn_sim_set_joint_target(NULL, 0, 1.0));
    CALL(FAILS, brn_sim_set_joint_target(t->sim, 0, 1.0));
    CALL(FAILS, brn_sim_set_gravity(NULL, t->vector));
    CALL(FAILS, brn_sim_set_gravity(t->sim, NULL));
    CALL(RETURNS, brn_sim_get_gravity(NULL, t->vector));
    CALL(RETURNS, brn_sim_get_gravity(t->sim, NULL));
    CALL(FAILS, brn_sim_set_friction(NULL, 0, 1, 0.5));
    CALL(FAILS, brn_sim_set_friction(t->sim, 0, 1, NAN));
    CALL(FAILS, brn_sim_set_friction(t->sim, 0, INT_MAX, 0.5));
    CALL(RETURNS, brn_sim_get_friction(NULL, 0, 1));
    CALL(RETURNS, brn_sim_get_friction(t->sim, INT_MIN, INT_MAX));
    CALL(RETURNS, brn_model_motion_count(NULL));
    CALL(RETURNS, brn_model_motion_name(NULL, 0));
    CALL(RETURNS, brn_model_motion_name(t->model, INT_MAX));
    CALL(FAILS, brn_sim_set_motion_speed(NULL, 0, 1.0));
    CALL(FAILS, brn_sim_set_motion_speed(t->sim, 0, NAN));
    CALL(FAILS, brn_sim_set_motion_speed(t->sim, INT_MIN, 1.0));
    CALL(RETURNS, brn_sim_get_motion_speed(NULL, 0));
    CALL(RETURNS, brn_model_is_movable(NULL, 0));
    CALL(FAILS, brn_sim_set_offset(NULL, 0, t->vector));
    CALL(FAILS, brn_sim_set_offset(t->sim, 0, NULL));
    CALL(FAILS, brn_sim_get_offset(NULL, 0, t->vector));
    CALL(FAILS, brn_sim_get_offset(t->sim, 0, NULL));
    CALL(FAILS, brn_sim_drag(NULL, 0, t->vector, 0.0));
    CALL(FAILS, brn_sim_drag(t->sim, 0, NULL, 0.0));
    CALL(WORKS, brn_sim_drag(t->sim, -1, NULL, 0.0));
    CALL(FAILS, brn_sim_drag(t->sim, INT_MAX, t->vector, NAN));
    CALL(RETURNS, brn_run_options_default());
    CALL(FAILS, brn_run(NULL, t->scene, NULL, &t->summary));
    CALL(FAILS, brn_run(t->ctx, NULL, NULL, &t->summary));
    CALL(WORKS, brn_run(t->ctx, t->scene, NULL, &t->summary));
    CALL(WORKS, brn_run(t->ctx, t->scene, NULL, NULL));
    CALL(FAILS, brn_lock_take(NULL, run_dir, &t->lock_out));
    CALL(FAILS, brn_lock_take(t->ctx, NULL, &t->lock_out));
    CALL(FAILS, brn_lock_take(t->ctx, "", &t->lock_out));
    CALL(FAILS, brn_lock_take(t->ctx, run_dir, NULL));
    CALL(RETURNS, brn_lock_release(NULL));
    CALL(RETURNS, brn_figure_count(BRN_OF_STEP, NULL));
    CALL(FAILS, brn_figure_get(BRN_OF_RUN, NULL, INT_MAX, &t->figure));
    CALL(FAILS, brn_figure_get(BRN_OF_RUN, "ipc", 0, NULL));
    CALL(RETURNS, brn_stage_figure_count());
    CALL(FAILS, brn_stage_figure_get(0, NULL));
    CALL(FAILS, brn_stage_figure_get(INT_MAX, &t->figure));
    CALL(RETURNS, brn_stage_figure(NULL, 0));
    CALL(RETURNS, brn_stage_figure(&t->stage, INT_MIN));
    CALL(RETURNS, brn_report_figure(NULL, 0));
    CALL(RETURNS, brn_report_figure(&t->report, INT_MIN));
    CALL(RETURNS, brn_summary_figure(NULL, 0));
    CALL(RETURNS, brn_summary_figure(&t->summary, INT_MAX));
    CALL(RETURNS, brn_export_options_default());
    CALL(FAILS, brn_export(NULL, run_dir, &t->export, &t->count));
    CALL(FAILS, brn_export(t->ctx, NULL, &t->export, &t->count));
    CALL(FAILS, brn_export(t->ctx, run_dir, NULL, &t->count));
    CALL(FAILS, brn_export(t->ctx, run_dir, &(brn_export_options){0}, &t->count));
    CALL(FAILS, brn_export(t->ctx, run_dir, &t->export, NULL));
    CALL(FAILS, brn_export(t->ctx, "no such folder", &t->export, &t->count));
    CALL(FAILS, brn_compare_runs(NULL, run_dir, run_dir, &t->difference));
    CALL(FAILS, brn_compare_runs(t->ctx, NULL, run_dir, &t->difference));
    CALL(FAILS, brn_compare_runs(t->ctx, run_dir, NULL, &t->difference));
    CALL(FAILS, brn_compare_runs(t->ctx, run_dir, run_dir, NULL));
    CALL(RETURNS, brn_difference_write(NULL, "a", &t->difference));
    CALL(RETURNS, brn_difference_write(t->json, NULL, &t->difference));
    CALL(RETURNS, brn_difference_write(t->json, "a", NULL));
    CALL(RETURNS, brn_cone_options_default());
    CALL(WORKS, brn_cone_solve(t->ctx, &one_contact, NULL, t->impulse, NULL, &t->cone_report));
    CALL(FAILS, brn_cone_solve(NULL, &one_contact, NULL, t->impulse, t->velocity, &t->cone_report));
    CALL(FAILS, brn_cone_solve(t->ctx, NULL, NULL, t->impulse, t->velocity, &t->cone_report));
    CALL(FAILS, brn_cone_solve(t->ctx, &one_contact, NULL, NULL, t->velocity, &t->cone_report));
    CALL(FAILS, brn_cone_solve(t->ctx, &one_contact, NULL, t->impulse, t->velocity, NULL));
    CALL(FAILS, brn_cone_solve(t->ctx, &one_contact, &(brn_cone_options){.tolerance = NAN}, t->impulse, NULL,
                               &t->cone_report));
    CALL(FAILS,
         brn_cone_solve(t->ctx, &(brn_cone_problem){.dim = 4}, NULL, t->impulse, NULL, &t->cone_report));
    CALL(FAILS, brn_cone_solve(t->ctx, &(brn_cone_problem){.dim = 3, .contacts = INT_MIN}, NULL, t->impulse,
                               NULL, &t->cone_report));
    CALL(FAILS, brn_cone_solve(t->ctx, &(brn_cone_problem){.dim = 3, .contacts = 1}, NULL, t->impulse, NULL,
                               &t->cone_report));
    CALL(FAILS, brn_cone_read(NULL, "a.dat", &t->cone_file));
    CALL(FAILS, brn_cone_read(t->ctx, NULL, &t->cone_file));
    CALL(FAILS, brn_cone_read(t->ctx, "", &t->cone_file));
    CALL(FAILS, brn_cone_read(t->ctx, "a.dat", NULL));
    CALL(RETURNS, brn_cone_close(NULL));
    CALL(RETURNS, brn_cone_file_problem(NULL));
    CALL(RETURNS, brn_cone_file_solution(NULL, &t->row, &t->other_row));
    CALL(RETURNS, brn_cone_file_solution(NULL, NULL, &t->other_row));
    CALL(RETURNS, brn_cone_file_solution(NULL, &t->row, NULL));
    CALL(FAILS, brn_cone_write(NULL, &one_contact, NULL, NULL, "calls_cone.dat"));
    CALL(FAILS, brn_cone_write(t->ctx, NULL, NULL, NULL, "calls_cone.dat"));
    CALL(FAILS, brn_cone_write(t->ctx, &one_contact, t->impulse, NULL, "calls_cone.dat"));
    CALL(FAILS, brn_cone_write(t->ctx, &one_contact, NULL, t->velocity, "calls_cone.dat"));
    CALL(FAILS, brn_cone_write(t->ctx, &one_contact, NULL, NULL, NULL));
    CALL(WORKS, brn_cone_write(t->ctx, &one_contact, t->impulse, t->velocity, "calls_cone.dat"));
    CALL(RETURNS, brn_view_page(NULL));
    CALL(FAILS, brn_view_open(NULL, run_dir, &t->view_out));
    CALL(FAILS, brn_view_open(t->ctx, NULL, &t->view_out));
    CALL(FAILS, brn_view_open(t->ctx, run_dir, NULL));
    CALL(FAILS, brn_view_live(NULL, t->model, "", &t->view_out));
    CALL(FAILS, brn_view_live(t->ctx, NULL, "", &t->view_out));
    CALL(WORKS, brn_view_live(t->ctx, t->model, NULL, &t->view_out));
    CALL(FAILS, brn_view_live(t->ctx, t->model, "", NULL));
    CALL(RETURNS, brn_view_close(NULL));
    CALL(RETURNS, brn_view_frames(NULL));
    CALL(RETURNS, brn_view_time(NULL, 0));
    CALL(RETURNS, brn_view_time(t->live, INT_MAX));
    CALL(FAILS, brn_view_run(NULL, &t->bytes, &t->size));
    CALL(FAILS, brn_view_run(t->view, NULL, &t->size));
    CALL(FAILS, brn_view_run(t->view, &t->bytes, NULL));
    CALL(FAILS, brn_view_frame(NULL, 0, &t->bytes, &t->size));
    CALL(FAILS, brn_view_frame(t->view, 0, NULL, &t->size));
    CALL(FAILS, brn_view_frame(t->view, 0, &t->bytes, NULL));
    CALL(FAILS, brn_view_frame(t->view, INT_MAX, &t->bytes, &t->size));
    CALL(FAILS, brn_view_frame(t->live, 0, &t->bytes, &t->size)); /* a live view has no frames */
    CALL(FAILS, brn_view_snapshot(NULL, t->snapshot, 0, &t->bytes, &t->size));
    CALL(FAILS, brn_view_snapshot(t->live, NULL, 0, &t->bytes, &t->size));
    CALL(FAILS, brn_view_snapshot(t->live, t->snapshot, 0, NULL, &t->size));
    CALL(FAILS, brn_view_snapshot(t->live, t->snapshot, 0, &t->bytes, NULL));
    CALL(FAILS, brn_view_snapshot(t->live, t->snapshot, 0, &t->bytes, &t->size)); /* not taken yet */
    CALL(FAILS, brn_view_snapshot(t->view, t->snapshot, 0, &t->bytes, &t->size)); /* not a live view */
    CALL(FAILS, brn_snapshot_create(NULL, t->model, &t->snapshot_out));
    CALL(FAILS, brn_snapshot_create(t->ctx, NULL, &t->snapshot_out));
    CALL(FAILS, brn_snapshot_create(t->ctx, t->model, NULL));
    CALL(RETURNS, brn_snapshot_destroy(NULL));
    CALL(FAILS, brn_snapshot_take(NULL, t->sim, NULL));
    CALL(FAILS, brn_snapshot_take(t->snapshot, NULL, NULL));
    CALL(WORKS, brn_snapshot_take(t->snapshot, t->sim, NULL)); /* before the first step */
    CALL(FAILS, brn_view_compare(NULL, t->dirs, NULL, NULL, 1, "page.html", 1.0));
    CALL(FAILS, brn_view_compare(t->ctx, NULL, NULL, NULL, 1, "page.html", 1.0));
    CALL(FAILS, brn_view_compare(t->ctx, t->dirs, NULL, NULL, 2, "page.html", 1.0)); /* the second is NULL */
    CALL(FAILS, brn_view_compare(t->ctx, t->dirs, NULL, NULL, INT_MAX, "page.html", 1.0));
    CALL(FAILS, brn_view_compare(t->ctx, t->dirs, NULL, NULL, 1, NULL, 1.0));
    CALL(FAILS, brn_info(NULL, "methods", &t->text));
    CALL(WORKS, brn_info(t->ctx, NULL, &t->text));
    CALL(FAILS, brn_info(t->ctx, "methods", NULL));
    CALL(FAILS, brn_info(t->ctx, "no such topic", &t->text));
    CALL(RETURNS, brn_vibration_options_default());
    CALL(FAILS, brn_vibration_find(NULL, t->model, NULL, &t->vibration_out));
    CALL(FAILS, brn_vibration_find(t->ctx, NULL, NULL, &t->vibration_out));
    CALL(WORKS, brn_vibration_find(t->ctx, t->model, NULL, &t->vibration_out));
    CALL(FAILS, brn_vibration_find(t->ctx, t->model, NULL, NULL));
    CALL(FAILS, brn_vibration_find(t->ctx, t->model, &(brn_vibration_options){0}, &t->vibration_out));
    CALL(FAILS, brn_vibration_find(t->ctx, t->model, &(brn_vibration_options){.modes = 1, .body = "nobody"},
                                   &t->vibration_out));
    CALL(FAILS, brn_vibration_find(t->ctx, t->model, &(brn_vibration_options){.modes = 1, .body = "floor"},
                                   &t->vibration_out));
    CALL(RETURNS, brn_vibration_destroy(NULL));
    CALL(RETURNS, brn_vibration_count(NULL));
    CALL(FAILS, brn_vibration_get(NULL, 0, &t->mode));
    CALL(FAILS, brn_vibration_get(t->vibration, 0, NULL));
    CALL(FAILS, brn_vibration_get(t->vibration, INT_MAX, &t->mode));
    CALL(FAILS, brn_vibration_write(NULL, t->model, t->vibration, scene_text, "calls-modes", 0.0));
    CALL(FAILS, brn_vibration_write(t->ctx, NULL, t->vibration, scene_text, "calls-modes", 0.0));
    CALL(FAILS, brn_vibration_write(t->ctx, t->model, NULL, scene_text, "calls-modes", 0.0));
    CALL(WORKS, brn_vibration_write(t->ctx, t->model, t->vibration, NULL, "calls-modes", 0.0));
    CALL(FAILS, brn_vibration_write(t->ctx, t->model, t->vibration, scene_text, NULL, 0.0));
    CALL(FAILS, brn_vibration_write(t->ctx, t->model, t->vibration, scene_text, "calls-modes", NAN));
    CALL(RETURNS, brn_trace_options_default());
    CALL(FAILS, brn_trace_read(NULL, "a.csv", NULL, &t->trace));
    CALL(FAILS, brn_trace_read(t->ctx, NULL, NULL, &t->trace));
    CALL(FAILS, brn_trace_read(t->ctx, "", NULL, &t->trace));
    CALL(FAILS, brn_trace_read(t->ctx, "a.csv", NULL, NULL));
    CALL(FAILS, brn_trace_parse(NULL, "0 1", 3, "a", NULL, &t->trace));
    CALL(FAILS, brn_trace_parse(t->ctx, NULL, 3, "a", NULL, &t->trace));
    CALL(WORKS, brn_trace_parse(t->ctx, "0 1", 3, NULL, NULL, &t->trace));
    CALL(FAILS, brn_trace_parse(t->ctx, "0 1", 3, "a", NULL, NULL));
    CALL(FAILS, brn_trace_parse(t->ctx, "0 1", SIZE_MAX, "a", NULL, &t->trace));
    CALL(RETURNS, brn_trace_samples(NULL, &t->row, &t->other_row));
    CALL(RETURNS, brn_trace_samples(NULL, NULL, &t->other_row));
    CALL(RETURNS, brn_trace_samples(NULL, &t->row, NULL));
    CALL(RETURNS, brn_trace_column(NULL));
    CALL(RETURNS, brn_trace_close(NULL));
    CALL(RETURNS, brn_ring_options_default());
    CALL(FAILS, brn_ring_down_fit(NULL, t->vector, t->velocity, 3, NULL, &t->ring_down));
    CALL(FAILS, brn_ring_down_fit(t->ctx, NULL, t->velocity, 3, NULL, &t->ring_down));
    CALL(FAILS, brn_ring_down_fit(t->ctx, t->vector, NULL, 3, NULL, &t->ring_down));
    CALL(FAILS, brn_ring_down_fit(t->ctx, t->vector, t->velocity, 3, NULL, &t->ring_down));
    CALL(FAILS, brn_ring_down_fit(t->ctx, t->vector, t->velocity, INT_MIN, NULL, &t->ring_down));
    CALL(FAILS, brn_ring_down_fit(t->ctx, t->vector, t->velocity, 3, NULL, NULL));
    CALL(RETURNS, brn_ring_mode_unshift(NULL, 1.0));
    CALL(RETURNS, brn_ring_mode_unshift(&t->ring, NAN));
    CALL(RETURNS, brn_ring_down_at(NULL, 0.0));
    CALL(RETURNS, brn_calibrate_options_default());
    CALL(FAILS, brn_calibrate(NULL, t->scene, &(brn_ring_mode){.frequency = 1.0}, NULL, &t->calibration,
                              &t->calibrated));
    CALL(FAILS, brn_calibrate(t->ctx, NULL, &(brn_ring_mode){.frequency = 1.0}, NULL, &t->calibration,
                              &t->calibrated));
    CALL(FAILS, brn_calibrate(t->ctx, t->scene, NULL, NULL, &t->calibration, &t->calibrated));
    CALL(FAILS, brn_calibrate(t->ctx, t->scene, &t->ring, NULL, &t->calibration, &t->calibrated));
    CALL(FAILS, brn_calibrate(t->ctx, t->scene, &(brn_ring_mode){.frequency = NAN}, NULL, &t->calibration,
                              &t->calibrated));
    CALL(FAILS, brn_calibrate(t->ctx, t->scene, &(brn_ring_mode){.frequency = 1.0},
                              &(brn_calibrate_options){.mode = INT_MAX}, &t->calibration, &t->calibrated));
    CALL(FAILS,
         brn_calibrate(t->ctx, t->scene, &(brn_ring_mode){.frequency = 1.0}, NULL, NULL, &t->calibrated));
    CALL(WORKS,
         brn_calibrate(t->ctx, t->scene, &(brn_ring_mode){.frequency = 1.0}, NULL, &t->calibration, NULL));
    CALL(RETURNS, brn_calibrated_count(NULL));
    CALL(FAILS, brn_calibrated_get(NULL, 0, &t->value));
    CALL(FAILS, brn_calibrated_get(t->calibrated, 0, NULL));
    CALL(RETURNS, brn_calibrated_destroy(NULL));
    CALL(RETURNS, brn_coarsen_options_default());
    CALL(FAILS, brn_coarsen(NULL, t->scene, &any_shape, &t->coarsening_out));
    CALL(FAILS, brn_coarsen(t->ctx, NULL, &any_shape, &t->coarsening_out));
    CALL(FAILS, brn_coarsen(t->ctx, t->scene, &any_shape, NULL));
    CALL(FAILS, brn_coarsen(t->ctx, t->scene, &(brn_coarsen_options){.limit = NAN}, &t->coarsening_out));
    CALL(RETURNS, brn_coarsening_destroy(NULL));
    CALL(FAILS, brn_coarsen_get(NULL, &t->coarse));
    CALL(FAILS, brn_coarsen_get(t->coarsening, NULL));
    CALL(FAILS, brn_coarsen_get_level(NULL, 0, &t->coarse_level));
    CALL(FAILS, brn_coarsen_get_level(t->coarsening, 0, NULL));
    CALL(FAILS, brn_coarsen_get_level(t->coarsening, INT_MAX, &t->coarse_level));
    CALL(FAILS, brn_coarsen_get_mode(NULL, 0, &t->coarse_mode));
    CALL(FAILS, brn_coarsen_get_mode(t->coarsening, 0, NULL));
    CALL(FAILS, brn_coarsen_get_mode(t->coarsening, -1, &t->coarse_mode));
    CALL(FAILS, brn_coarsen_get_shape(NULL, 0, true, &t->coarse_shape));
    CALL(FAILS, brn_coarsen_get_shape(t->coarsening, 0, true, NULL));
    CALL(FAILS, brn_coarsen_get_shape(t->coarsening, INT_MIN, false, &t->coarse_shape));
    CALL(RETURNS, brn_coarsen_change(NULL, 0));
    CALL(RETURNS, brn_coarsen_change(t->coarsening, INT_MAX));
    CALL(FAILS, brn_design_load(NULL, "calls-design.yaml", BRN_DESIGN_SEARCH, &t->design_out));
    CALL(FAILS, brn_design_load(t->ctx, NULL, BRN_DESIGN_SEARCH, &t->design_out));
    CALL(FAILS, brn_design_load(t->ctx, "absent.yaml", BRN_DESIGN_SEARCH, &t->design_out));
    CALL(FAILS, brn_design_load(t->ctx, "absent.yaml", BRN_DESIGN_SEARCH, NULL));
    CALL(FAILS, brn_design_parse(NULL, design_text, 10, "d", BRN_DESIGN_SEARCH, &t->design_out));
    CALL(FAILS, brn_design_parse(t->ctx, NULL, 10, "d", BRN_DESIGN_SEARCH, &t->design_out));
    CALL(FAILS, brn_design_parse(t->ctx, "[1]", 3, NULL, BRN_DESIGN_SEARCH, &t->design_out));
    CALL(FAILS, brn_design_parse(t->ctx, design_text, 10, "d", BRN_DESIGN_SEARCH, NULL));
    CALL(FAILS, brn_design_set(NULL, "time.end=1"));
    CALL(FAILS, brn_design_set(t->design, NULL));
    CALL(FAILS, brn_design_set(t->design, "time.end=1")); /* it is prepared */
    CALL(FAILS, brn_design_prepare(NULL));
    CALL(FAILS, brn_design_prepare(t->design)); /* again */
    CALL(RETURNS, brn_design_problem_count(NULL));
    CALL(RETURNS, brn_design_problem(NULL, 0));
    CALL(RETURNS, brn_design_problem(t->design, INT_MAX));
    CALL(RETURNS, brn_design_problem(t->design, -1));
    CALL(RETURNS, brn_design_destroy(NULL));
    CALL(RETURNS, brn_design_parameter_count(NULL));
    CALL(FAILS, brn_design_get_parameter(NULL, 0, &t->parameter));
    CALL(FAILS, brn_design_get_parameter(t->design, 0, NULL));
    CALL(FAILS, brn_design_get_parameter(t->design, 1, &t->parameter));
    CALL(RETURNS, brn_design_scene(NULL));
    CALL(RETURNS, brn_design_objective(NULL));
    CALL(RETURNS, brn_design_maximises(NULL));
    CALL(RETURNS, brn_design_figure_count(NULL));
    CALL(RETURNS, brn_design_figure(NULL, 0));
    CALL(RETURNS, brn_design_figure(t->design, -1));
    CALL(RETURNS, brn_design_figure(t->design, INT_MAX));
    CALL(RETURNS, brn_design_constraint_count(NULL));
    CALL(RETURNS, brn_design_constraint(NULL, 0));
    CALL(RETURNS, brn_design_constraint(t->design, -1));
    CALL(RETURNS, brn_design_constraint(t->design, INT_MAX));
    CALL(FAILS, brn_design_info(NULL, &t->text));
    CALL(FAILS, brn_design_info(t->ctx, NULL));
    CALL(RETURNS, brn_design_options_default());
    CALL(FAILS, brn_design_run(NULL, &t->study, &t->result));
    CALL(FAILS, brn_design_run(t->design, NULL, &t->result));
    CALL(FAILS, brn_design_run(t->design, &t->study, NULL));
    CALL(FAILS, brn_design_run(t->design, &t->study, &t->result)); /* without a folder and an evaluator */
    CALL(RETURNS, brn_design_evaluation_count(NULL));
    CALL(FAILS, brn_design_get_evaluation(NULL, 0, &t->evaluation));
    CALL(FAILS, brn_design_get_evaluation(t->design, 0, NULL));
    CALL(FAILS, brn_design_get_evaluation(t->design, 0, &t->evaluation)); /* none yet */
    return false;
}

/* ---- the header ---------------------------------------------------------------------------------------------------------- */

/* A header without its comments. */
static char *read_header(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    const size_t n = fread(text, 1, (1 << 20) - 1, file);
    (void)fclose(file);
    assert_true(n > 1000 && n < (1 << 20) - 1);
    for (char *c = strstr(text, "/*"); c != NULL; c = strstr(c, "/*")) {
        char *end = strstr(c, "*/");
        assert_non_null(end);
        memset(c, ' ', (size_t)(end + 2 - c));
    }
    return text;
}

/* Calls in the list of a function: one at least for each of its pointers. */
static void check_listed(const char *open)
{
    const char *name = open;
    while (isalnum((unsigned char)name[-1]) || name[-1] == '_') {
        --name;
    }
    const int length = (int)(open - name);
    int pointers = 0;
    for (const char *c = open; *c != ';' && *c != '\0'; ++c) {
        /* T **x and T x[3] are one each */
        pointers += (*c == '*' && c[1] != '*' && strncmp(c, "*const *", 8) != 0) || *c == '[';
    }
    int calls = 0;
    const char *text = NULL;
    outcome ends = RETURNS;
    int status = 0;
    for (int i = 0; call(i, NULL, &text, &ends, &status); ++i) {
        calls += strncmp(text, name, (size_t)length) == 0 && text[length] == '(';
    }
    if (calls < pointers || calls == 0) {
        fail_msg("%.*s: %d calls for %d pointers: add to the list of this test", length, name, calls,
                 pointers);
    }
}

/* Every function that the headers declare. */
static void test_every_function_is_called(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int functions;
    } headers[] = {{BRN_SOURCE_DIR "/include/brunt/brunt.h", 81},
                   {BRN_SOURCE_DIR "/include/brunt/study.h", 12},
                   {BRN_SOURCE_DIR "/include/brunt/design.h", 16}};
    for (size_t h = 0; h < sizeof headers / sizeof headers[0]; ++h) {
        char *header = read_header(headers[h].path);
        int functions = 0;
        for (char *at = strstr(header, "BRN_API "); at != NULL; at = strstr(at + 1, "BRN_API ")) {
            char *open = strchr(at, '(');
            if (at > header && at[-1] != '\n') { /* its own definition */
                continue;
            }
            assert_non_null(open);
            check_listed(open);
            ++functions;
        }
        assert_true(functions >= headers[h].functions);
        free(header);
    }
}

/* ---- the calls are made --------------------------------------------------------------------------------------------------- */

enum { DONE = 0, WRONG = 3 };

/* In a process of its own, with everything made before. */
static int make_call(int index, things *t, const char **text)
{
    outcome ends = RETURNS;
    int status = 0;
    (void)call(index, NULL, text, &ends, &status);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)call(index, t, text, &ends, &status);
        /* An error has words if there is a ctx to keep them. */
        const bool said = strstr(*text, "(t->ctx") == NULL || brn_ctx_message(t->ctx)[0] != '\0';
        const bool right =
            ends == RETURNS || (ends == FAILS && status < 0 && said) || (ends == WORKS && status >= 0);
        _exit(right ? DONE : WRONG);
    }
    int how = 0;
    assert_int_equal(waitpid(pid, &how, 0), pid);
    return WIFEXITED(how) ? WEXITSTATUS(how) : 1000 + how;
}

static void test_null_and_out_of_range(void **state)
{
    (void)state;
    things t;
    make_things(&t);
    outcome ends = RETURNS;
    const char *text = NULL;
    int status = 0;
    int bad = 0;
    for (int i = 0; call(i, NULL, &text, &ends, &status); ++i) {
        const int how = make_call(i, &t, &text);
        if (how != DONE) {
            print_error("%s: %s\n", text, how == WRONG ? "ended the wrong way" : "crashed");
            ++bad;
        }
    }
    free_things(&t);
    assert_int_equal(bad, 0);
}

/* ---- out of order ---------------------------------------------------------------------------------------------------------- */

/* A scene with problems is good for nothing but its list of problems. */
static void test_bad_scene(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "brunt: 1\nbodies: 7\n", "{",
                                        "brunt: 1\nmethod: {type: nothing}\n", "\xff\xfe"};
    brn_ctx *ctx = test_ctx(1);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        brn_scene *scene = NULL;
        brn_model *model = NULL;
        brn_summary summary;
        char *text = NULL;
        (void)brn_scene_parse(ctx, texts[i], strlen(texts[i]), NULL, &scene);
        (void)brn_scene_set(scene, "time.step=0.1");
        assert_true(brn_scene_write(scene, &text) < 0);
        assert_true(brn_model_compile(ctx, scene, &model) < 0);
        assert_true(brn_run(ctx, scene, NULL, &summary) < 0);
        assert_true(brn_model_compile(ctx, scene, &model) < 0);
        assert_null(model);
        assert_null(text);
        brn_scene_destroy(scene);
    }
    brn_ctx_destroy(ctx);
}

/* Steps after a failed step, a failed load and the end of the scene. */
static void test_steps_out_of_order(void **state)
{
    (void)state;
    things t;
    make_things(&t);
    const uint64_t start = brn_sim_hash(t.sim);
    assert_true(brn_sim_load(t.sim, "no such file") < 0);
    assert_true(brn_sim_load(t.sim, "public_calls_run/series.csv") < 0);
    int nodes = 0;
    brn_model_get_info(t.model, &t.model_info);
    nodes = t.model_info.nodes;
    double *wrong = calloc((size_t)nodes * 3, sizeof *wrong); /* all nodes in one place */
    (void)brn_sim_edit(t.sim, wrong, NULL);
    if (brn_sim_hash(t.sim) != start) { /* taken: then no step can be done from there */
        assert_true(brn_sim_step(t.sim, &t.report) < 0);
        assert_true(brn_sim_step(t.sim, &t.report) < 0);
    }
    for (int i = 0; i < 3 * nodes; ++i) {
        wrong[i] = NAN;
    }
    assert_true(brn_sim_edit(t.sim, wrong, NULL) < 0);
    assert_true(brn_sim_edit(t.sim, NULL, wrong) < 0);
    free(wrong);
    brn_sim_destroy(t.sim);
    t.sim = NULL;
    assert_done(t.ctx, brn_sim_create(t.ctx, t.model, &t.sim));
    assert_true(brn_sim_hash(t.sim) == start);
    for (int i = 0; i < 5; ++i) { /* the scene has three */
        assert_done(t.ctx, brn_sim_step(t.sim, &t.report));
    }
    assert_true(brn_sim_done(t.sim));
    assert_int_equal(brn_sim_step_count(t.sim), 5);
    assert_done(t.ctx, brn_snapshot_take(t.snapshot, t.sim, &t.report));
    assert_done(t.ctx, brn_view_snapshot(t.live, t.snapshot, 0, &t.bytes, &t.size));
    free_things(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_function_is_called),
        cmocka_unit_test(test_null_and_out_of_range),
        cmocka_unit_test(test_bad_scene),
        cmocka_unit_test(test_steps_out_of_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
