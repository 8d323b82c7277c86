#define _GNU_SOURCE
/* Contacts from the method to the folder: a block slides on a plate and comes to rest. Forces in the series balance, the
   trajectory and the summary tell the same as the simulation, and a run that was stopped and resumed has the same
   contacts as one that was not. */
#include "flow.h"
#include "unit/no_fsync.h"

#include "linalg/dense.h"
#include "output/trajectory/trajectory.h"
#include "step/sim.h"

enum { STEPS = 60, FRAME_STEPS = 5, COLUMNS_MAX = 96 };

static const char scene_text[] =
    "brunt: 1\ntime: {step: 0.005, end: 0.3}\n"
    "method: {type: ipc, dhat: 1e-3, friction_speed: 1e-4, tolerance: 1e-7}\n"
    "materials: {a: {type: neo_hookean, young: 1e6, poisson: 0.3, density: 1000}}\n"
    "meshes:\n  block: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: tet4}}\n"
    "  plate: {box: {size: [2, 0.4, 0.02], cells: [1, 1, 1], element: hex8}}\n"
    "bodies:\n"
    "  - {name: block, type: deformable, mesh: block, material: a, position: [0, 0, 0.0609], velocity: [0.5, "
    "0, 0]}\n"
    "  - {name: plate, type: static, mesh: plate}\n"
    "contact: {friction: 0.5, self: false}\n"
    "output: {every: 0.025, fields: [contact]}\n";

static const double weight = 1000.0 * 1e-3 * 9.81; /* [N] */

static bool stop_at_23(void *user, const brn_progress *progress)
{
    (void)user;
    return progress->step == 23;
}

static brn_summary run_to(const char *out, bool resume, bool stop)
{
    brn_ctx *ctx = test_ctx(2);
    brn_scene *scene = NULL;
    brn_summary summary;
    brn_run_options options = brn_run_options_default();
    options.out = out;
    options.resume = resume;
    options.checkpoint_every = 10;
    options.progress = stop ? stop_at_23 : NULL;
    assert_done(ctx, flow_scene(ctx, scene_text, NULL, &scene));
    assert_done(ctx, brn_run(ctx, scene, &options, &summary));
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
    return summary;
}

/* ---- series ----------------------------------------------------------------------------------------------------------- */

typedef struct table {
    int ncolumn, nrow;
    char name[COLUMNS_MAX][48];
    double cell[STEPS + 1][COLUMNS_MAX];
} table;

static void read_table(const char *path, table *t)
{
    static char line[8192];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    memset(t, 0, sizeof *t);
    for (int row = -1; fgets(line, sizeof line, file) != NULL; ++row) {
        assert_true(row <= STEPS);
        char *at = line;
        for (int c = 0; at != NULL; ++c) {
            assert_true(c < COLUMNS_MAX);
            char *text = strsep(&at, ",\n");
            if (at != NULL && row < 0) {
                (void)snprintf(t->name[c], sizeof t->name[c], "%s", text);
                t->ncolumn = c + 1;
            } else if (at != NULL) {
                t->cell[row][c] = *text != '\0' ? strtod(text, NULL) : NAN;
            }
        }
        t->nrow = row + 1;
    }
    assert_int_equal(fclose(file), 0);
}

static const double *column(const table *t, int row, const char *name)
{
    for (int c = 0; c < t->ncolumn; ++c) {
        if (strcmp(t->name[c], name) == 0) {
            return &t->cell[row][c];
        }
    }
    fail_msg("no column %s", name);
    return NULL;
}

static void check_series(const table *t)
{
    assert_int_equal(t->nrow, STEPS + 1);
    double slid = 0.0;
    for (int row = 1; row < t->nrow; ++row) {
        const double *block = column(t, row, "block.contact_x");
        const double *plate = column(t, row, "plate.contact_x");
        const double *held = column(t, row, "plate.force_x");
        const double scale = fmax(weight, fabs(block[2]));
        for (int i = 0; i < 3; ++i) {
            assert_true(block[i] == -plate[i]);
            /* the same terms, added by node and by contact */
            assert_near(held[i], -plate[i], 1e-10 * scale);
        }
        slid = fmin(slid, block[0]);
        assert_true(*column(t, row, "sticking") + *column(t, row, "slipping") <= *column(t, row, "contacts"));
    }
    const double *end = column(t, STEPS, "block.contact_x");
    assert_true(slid < -1.0);                /* friction slowed it down */
    assert_near(end[0], 0.0, 0.01 * weight); /* until it rested */
    assert_near(end[2], weight, 0.01 * weight);
    assert_true(*column(t, STEPS, "sticking") > 0.0 && *column(t, STEPS, "slipping") == 0.0);
    /* It starts within reach of the barrier, whose energy is in the balance from the first row. */
    assert_true(*column(t, 0, "contact") > 0.0 && *column(t, 0, "contacts") > 0.0);
    assert_true(*column(t, 0, "energy_error") == 0.0);
}

/* ---- trajectory ------------------------------------------------------------------------------------------------------- */

/* [N] the recorded pressure times area, over the triangles of a body. */
static double pressed(brn_ctx *ctx, brn_playback *playback, int frame, int body)
{
    const brn_playback_info *info = brn_playback_get(playback);
    const size_t n = (size_t)info->nnode;
    double sum = 0.0;
    brn_frame f = {.pos = malloc(3 * n * sizeof(double)), .pressure = malloc(n * sizeof(double))};
    assert_true(f.pos != NULL && f.pressure != NULL);
    assert_done(ctx, brn_playback_read(playback, frame, &f));
    for (int k = 0; k < info->ntri; ++k) {
        const int *node = info->tri[k];
        const double *x[3] = {&f.pos[3 * node[0]], &f.pos[3 * node[1]], &f.pos[3 * node[2]]};
        double a[3], b[3], normal[3];
        for (int i = 0; i < 3; ++i) {
            a[i] = x[1][i] - x[0][i];
            b[i] = x[2][i] - x[0][i];
        }
        brn_dense_cross3(a, b, normal);
        const double area = 0.5 * sqrt(brn_dense_dot3(normal, normal));
        const double mean = (f.pressure[node[0]] + f.pressure[node[1]] + f.pressure[node[2]]) / 3.0;
        sum += info->tri_body[k] == body ? mean * area : 0.0;
    }
    free(f.pressure);
    free(f.pos);
    return sum;
}

static void check_frames(const char *path, const table *t)
{
    brn_ctx *ctx = test_ctx(1);
    brn_playback *playback = NULL;
    assert_done(ctx, brn_playback_open(ctx, path, &playback));
    assert_int_equal(brn_playback_get(playback)->nframe, STEPS / FRAME_STEPS + 1);
    for (int f = 0; f <= STEPS / FRAME_STEPS; ++f) {
        const brn_contact_point *point = NULL;
        int npoint = 0;
        double sum[3] = {0.0, 0.0, 0.0};
        double gap = INFINITY;
        double normal = 0.0;
        assert_done(ctx, brn_playback_contacts(playback, f, &point, &npoint));
        for (int k = 0; k < npoint; ++k) {
            for (int i = 0; i < 3; ++i) {
                const double force = point[k].normal_force * point[k].normal[i] + point[k].friction[i];
                sum[i] += point[k].body[0] == 0 ? force : -force;
            }
            gap = fmin(gap, point[k].gap);
            normal += point[k].normal_force;
        }
        for (int b = 0; b < 2; ++b) { /* single precision */
            assert_near(pressed(ctx, playback, f, b), normal, 1e-6 * fmax(weight, normal));
        }
        const double *block = column(t, FRAME_STEPS * f, "block.contact_x");
        for (int i = 0; i < 3; ++i) {
            assert_near(sum[i], block[i], 1e-12 * fmax(weight, fabs(block[2])));
        }
        assert_true(npoint == 0 || gap == *column(t, FRAME_STEPS * f, "gap_min"));
    }
    brn_playback_close(playback);
    brn_ctx_destroy(ctx);
}

static void check_summary(const brn_summary *s, const table *t)
{
    double cone = 0.0;
    double complementarity = 0.0;
    double gap = INFINITY;
    double contacts = 0.0;
    for (int row = 0; row < t->nrow; ++row) {
        gap = fmin(gap, *column(t, row, "gap_min"));
        if (row > 0) {
            cone = fmax(cone, *column(t, row, "cone_error"));
            complementarity = fmax(complementarity, *column(t, row, "complementarity"));
            contacts += *column(t, row, "contacts");
        }
    }
    assert_true(s->gap_min == gap && s->cone_error_max == cone && s->complementarity_max == complementarity);
    assert_near(s->contacts_mean, contacts / STEPS, 1e-12);
    assert_true(s->complementarity_max > 0.0 && s->complementarity_max < 1e-3); /* dhat */
    assert_true(s->sticking == (int)*column(t, STEPS, "sticking") && s->slipping == 0 && s->sticking > 0);
    assert_true(s->stiffness_work == 0.0);
    /* Newton leaves a force open that moves nothing faster than 1e-7 model sizes a second; mass times that, 60 steps */
    assert_true(s->momentum_error_max < 1e-4);
}

static void test_whole_and_resumed(void **state)
{
    (void)state;
    static table whole;
    static table again;
    flow_clear_folder("contact_whole");
    flow_clear_folder("contact_again");
    const brn_summary summary = run_to("contact_whole", false, false);
    read_table("contact_whole/series.csv", &whole);
    check_series(&whole);
    check_frames("contact_whole/trajectory.h5", &whole);
    check_summary(&summary, &whole);
    (void)run_to("contact_again", false, true);
    const brn_summary resumed = run_to("contact_again", true, false);
    assert_true(resumed.state_hash == summary.state_hash);
    read_table("contact_again/series.csv", &again);
    check_frames("contact_again/trajectory.h5", &again);
    check_summary(&resumed, &again);
    for (int row = 0; row < whole.nrow; ++row) {
        assert_memory_equal(column(&whole, row, "block.contact_x"), column(&again, row, "block.contact_x"),
                            6 * sizeof(double));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole_and_resumed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
