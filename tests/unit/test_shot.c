/* Frames for the viewer: positions and fields, read back from the packets and compared with the slow and obvious. */
#include "faulty.h"
#include "output_model.h"
#include "packet_reader.h"

#include "output/page/run_packet.h"
#include "output/trajectory/fields.h"
#include "output/trajectory/outline.h"

/* A model and a camera that looks at it, everything recorded. */
typedef struct studio {
    brn_ctx *ctx;
    brn_model *model;
    brn_outline outline;
    brn_camera camera;
    brn_state *state;
    brn_recovery all; /* of all nodes, as trajectories have it */
    double *sample;   /* [samples][6] */
    double *node_stress;
    packet run;
} studio;

static packet shoot_run(studio *s)
{
    const brn_plot_series series = {.ctx = s->ctx};
    const brn_plots plots = {.count = 0};
    const brn_run_card card = {.name = "run", .series = &series, .plots = &plots};
    brn_packet p = {.ctx = s->ctx};
    const void *bytes = NULL;
    size_t size = 0;
    assert_done(s->ctx, brn_run_packet(&s->camera, &card, &p, &bytes, &size));
    packet run = packet_open(bytes, size);
    brn_packet_clear(&p);
    return run;
}

/* In place: the camera points into it. */
static void studio_open(studio *s, brn_ctx *ctx, brn_model *model)
{
    *s = (studio){.ctx = ctx, .model = model};
    s->outline.ctx = ctx;
    s->camera.ctx = ctx;
    s->state = test_state(ctx, model);
    assert_done(ctx, brn_outline_of_model(&s->outline, model));
    s->outline.info.has_contact = true;
    s->outline.info.has_stress = true;
    s->outline.info.has_velocity = true;
    assert_done(ctx, brn_camera_make(&s->camera, &s->outline.info));
    s->all.ctx = ctx;
    assert_done(ctx, brn_recovery_make(&s->all, &s->outline.info, NULL, 0));
    s->sample = brn_calloc(ctx, 6 * s->all.nsample, sizeof(double));
    s->node_stress = brn_calloc(ctx, 6 * (size_t)model->nnode, sizeof(double));
    for (int n = 0; n < model->nnode; ++n) {
        memcpy(s->state->node_pos + 3 * n, model->rest[n], 3 * sizeof(double));
    }
    s->run = shoot_run(s);
}

static void studio_close(studio *s)
{
    packet_close(&s->run);
    brn_free(s->ctx, s->sample);
    brn_free(s->ctx, s->node_stress);
    brn_recovery_clear(&s->all);
    brn_camera_clear(&s->camera);
    brn_outline_clear(&s->outline);
    brn_state_destroy(s->state);
    test_model_free(s->model);
    brn_ctx_destroy(s->ctx);
}

static packet shoot(studio *s, const brn_contact_point *point, int npoint)
{
    brn_shown_range span[BRN_SHOWN_COUNT];
    const void *bytes = NULL;
    size_t size = 0;
    assert_done(s->ctx, brn_field_sample_stress(s->ctx, s->model, s->state->node_pos, NULL, s->sample));
    assert_done(s->ctx, brn_recovery_apply(&s->all, s->sample, s->node_stress));
    const brn_instant now = {.time = 0.5,
                             .step = 7,
                             .pos = s->state->node_pos,
                             .vel = s->state->node_vel,
                             .node_stress = s->node_stress,
                             .point = point,
                             .npoint = npoint};
    assert_done(s->ctx, brn_camera_shoot(&s->camera, &now, 3, true, span, &bytes, &size));
    return packet_open(bytes, size);
}

/* x = A rest + b for the nodes of a body. */
static void place(studio *s, int body, const double a[3][3], const double b[3])
{
    const brn_body *of = &s->model->body[body];
    for (int n = of->node_first; n < of->node_first + of->node_count; ++n) {
        for (int i = 0; i < 3; ++i) {
            const double *x = s->model->rest[n];
            s->state->node_pos[3 * n + i] = a[i][0] * x[0] + a[i][1] * x[1] + a[i][2] * x[2] + b[i];
        }
    }
}

static const double turned[3][3] = {{0.36, 0.48, -0.8}, {-0.8, 0.6, 0.0}, {0.48, 0.64, 0.6}}; /* a rotation */
static const double plane_turn[3][3] = {{0.6, -0.8, 0.0}, {0.8, 0.6, 0.0}, {0.0, 0.0, 1.0}};

/* ---- numbering -------------------------------------------------------------------------------------------------------- */

static void check_numbering(studio *s)
{
    const brn_playback_info *info = &s->outline.info;
    const char *bodies = json_get(s->run.json, "bodies");
    size_t nnode, nrest, ntri, nedge;
    double *node = packet_array(&s->run, "node", "u32", &nnode);
    double *rest = packet_array(&s->run, "rest", "f32", &nrest);
    double *tri = packet_array(&s->run, "tri", "u32", &ntri);
    double *edge = packet_array(&s->run, "edge", "u32", &nedge);
    assert_int_equal(nrest, 3 * nnode);
    assert_int_equal(ntri, 3 * info->ntri);
    assert_int_equal(nedge, 2 * info->nedge);
    /* vertices are nodes, in their order, each once, and those of triangles and edges; each body has its own */
    bool *used = calloc((size_t)info->nnode, 1);
    for (size_t i = 0; i < ntri; ++i) {
        assert_int_equal(node[(size_t)tri[i]], info->tri[i / 3][i % 3]);
        used[info->tri[i / 3][i % 3]] = true;
    }
    for (size_t i = 0; i < nedge; ++i) {
        assert_int_equal(node[(size_t)edge[i]], info->edge[i / 2][i % 2]);
        used[info->edge[i / 2][i % 2]] = true;
    }
    size_t count = 0;
    for (int n = 0; n < info->nnode; ++n) {
        count += used[n];
    }
    assert_int_equal(count, nnode);
    size_t vertex = 0, triangle = 0;
    for (int b = 0; b < info->nbody; ++b) {
        const char *entry = json_item(bodies, b);
        assert_int_equal((size_t)json_number(json_get(entry, "vertex_first")), vertex);
        assert_int_equal((size_t)json_number(json_get(entry, "tri_first")), triangle);
        const size_t end = vertex + (size_t)json_number(json_get(entry, "vertex_count"));
        for (; vertex < end; ++vertex) {
            assert_true(used[(int)node[vertex]] && (vertex == 0 || node[vertex] > node[vertex - 1]));
            assert_in_range((int)node[vertex], info->body_first[b],
                            info->body_first[b] + info->body_nnode[b] - 1);
            for (size_t i = 0; i < 3; ++i) {
                assert_true(rest[3 * vertex + i] == (double)(float)info->rest[(int)node[vertex]][i]);
            }
        }
        triangle += (size_t)json_number(json_get(entry, "tri_count"));
    }
    assert_int_equal(vertex, nnode);
    assert_int_equal(3 * triangle, ntri);
    const char *floor = json_item(bodies, info->nbody - 1);
    assert_true(json_is(json_get(floor, "plane"), "true") && json_is(json_get(floor, "type"), "\"static\""));
    assert_true(json_is(json_get(json_item(bodies, 0), "plane"), "false"));
    free(used);
    free(node);
    free(rest);
    free(tri);
    free(edge);
}

static void test_numbering(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    studio s;
    studio_open(&s, ctx, test_model_3d(ctx, 3));
    check_numbering(&s);
    assert_true(s.camera.surface.nvertex < s.model->nnode); /* nodes inside are left out */
    studio_close(&s);
    ctx = test_ctx(1);
    studio_open(&s, ctx, test_model_2d(ctx));
    check_numbering(&s);
    studio_close(&s);
}

/* A boundary that is not sorted by body, or that uses another body's nodes, comes from a damaged file. */
static void test_bad_boundary(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    studio s;
    studio_open(&s, ctx, test_model_3d(ctx, 2));
    int *body = (int *)s.outline.info.tri_body;
    int(*tri)[3] = (int(*)[3])s.outline.info.tri;
    brn_drawing surface = {.ctx = ctx};
    body[0] = 1;
    assert_int_equal(brn_drawing_make(&surface, &s.outline.info), BRN_ERR_FORMAT);
    brn_drawing_clear(&surface);
    body[0] = 0;
    const int kept = tri[0][1];
    tri[0][1] = s.model->nnode - 1;
    assert_int_equal(brn_drawing_make(&surface, &s.outline.info), BRN_ERR_FORMAT);
    brn_drawing_clear(&surface);
    tri[0][1] = kept;
    assert_done(ctx, brn_drawing_make(&surface, &s.outline.info));
    brn_drawing_clear(&surface);
    /* an older file does not tell which bodies are half-spaces: the patch of the floor is recognised */
    brn_free(ctx, (void *)s.outline.info.body_plane);
    s.outline.info.body_plane = NULL;
    assert_done(ctx, brn_drawing_make(&surface, &s.outline.info));
    assert_true(!surface.plane[0] && !surface.plane[1] && surface.plane[2]);
    brn_drawing_clear(&surface);
    studio_close(&s);
}

/* ---- positions -------------------------------------------------------------------------------------------------------- */

/* Every vertex is where its node is, to within half a step of quantisation, or `slack` where there is none. */
static void check_positions(studio *s, const int *want, double slack)
{
    const size_t nvertex = (size_t)s->camera.surface.nvertex;
    int motion[8];
    double *half = malloc(3 * nvertex * sizeof *half);
    packet frame = shoot(s, NULL, 0);
    double *x = packet_positions(&s->run, &frame, motion, half);
    for (int b = 0; b < s->model->nbody; ++b) {
        assert_int_equal(motion[b], want[b]);
    }
    for (size_t v = 0; v < nvertex; ++v) {
        for (size_t i = 0; i < 3; ++i) {
            const double got = x[3 * v + i];
            const double node = s->state->node_pos[3 * (size_t)s->camera.surface.node[v] + i];
            /* The box's corner is f32 and the sum is made in double: 1e-7 of half a step, rounded up. */
            assert_near(got, node, half[3 * v + i] > 0.0 ? 1.001 * half[3 * v + i] : slack);
        }
    }
    packet_close(&frame);
    free(half);
    free(x);
}

static void test_positions(void **unused)
{
    (void)unused;
    static const double shift[3] = {0.3, -1.7, 5.0};
    static const double stretched[3][3] = {{1.2, 0.1, 0.0}, {0.0, 0.9, 0.2}, {0.1, 0.0, 1.1}};
    brn_ctx *ctx = test_ctx(2);
    studio s;
    studio_open(&s, ctx, test_model_3d(ctx, 3));
    check_positions(&s, (const int[]){0, 0, 0}, 1e-7 * 4.0); /* f32 of rest positions up to 4 m */
    /* A rotation and any affine map are 12 numbers; f32 of those times 4 m, a few of them. */
    place(&s, 0, turned, shift);
    place(&s, 1, stretched, shift);
    check_positions(&s, (const int[]){1, 1, 0}, 3e-6);
    /* The floor is flat, so its map is found from three corners and their normal. */
    place(&s, 2, turned, shift);
    check_positions(&s, (const int[]){1, 1, 1}, 3e-6);
    /* One vertex out of place by two steps is a body of its own kind of motion. */
    s.state->node_pos[0] += 2.0 * 2.0 / 65535.0;
    check_positions(&s, (const int[]){2, 1, 1}, 3e-6);
    test_pose(s.model, s.state, 3);
    check_positions(&s, (const int[]){2, 2, 2}, 0.0);
    /* Squashed flat: no step at all along one axis. */
    for (int n = 0; n < s.model->nnode; ++n) {
        s.state->node_pos[3 * n + 2] = 0.25;
    }
    check_positions(&s, (const int[]){2, 2, 2}, 0.0);
    studio_close(&s);

    ctx = test_ctx(1);
    studio_open(&s, ctx, test_model_2d(ctx));
    check_positions(&s, (const int[]){0, 0}, 1e-7);
    place(&s, 0, plane_turn, (const double[3]){0.2, 0.1, 0.0});
    check_positions(&s, (const int[]){1, 0}, 1e-6);
    test_pose(s.model, s.state, 3);
    /* The floor of 2D is a line: two points have many maps, and none is chosen. */
    check_positions(&s, (const int[]){2, 2}, 0.0);
    studio_close(&s);
}

/* What is no number in a damaged file stays at rest, and no number of a packet is infinite. */
static void test_wild_positions(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    studio s;
    studio_open(&s, ctx, test_model_3d(ctx, 2));
    static const double wild[] = {NAN, INFINITY, -INFINITY, 1e300};
    test_pose(s.model, s.state, 1);
    for (int i = 0; i < 4; ++i) {
        s.state->node_pos[3 * i] = wild[i];
        s.state->node_vel[3 * i] = wild[i];
    }
    brn_contact_point point[3] = {
        {.body = {0, 1}, .place = {NAN}, .normal_force = INFINITY},
        {.body = {0, 2}, .normal = {NAN, 2.0, -2.0}, .normal_force = NAN, .gap = NAN},
        {.body = {1, 1}, .slip = {1e300}, .normal_force = 1.0}};
    packet frame = shoot(&s, point, 3);
    double *x = packet_positions(&s.run, &frame, NULL, NULL);
    for (int v = 0; v < 3 * s.camera.surface.nvertex; ++v) {
        assert_true(fabs(x[v]) < 10.0);
    }
    free(x);
    size_t n = 0;
    double *contact = packet_array(&frame, "contact", "f32", &n);
    assert_int_equal(n, 27);
    for (size_t i = 0; i < n; ++i) {
        assert_true(isfinite(contact[i]));
    }
    free(contact);
    for (int f = 0; f < BRN_SHOWN_COUNT; ++f) {
        if (!brn_shown_is_derived(f)) {
            free(packet_field(&frame, brn_shown_table[f].name, (size_t)s.camera.surface.nvertex));
        }
    }
    packet_close(&frame);
    studio_close(&s);
}

/* ---- fields ------------------------------------------------------------------------------------------------------------ */

/* got within half a step of quantisation of want, which may span twice its largest magnitude, and f32 */
static void check_field(const studio *s, const double *got, const double *want, bool of_nodes)
{
    const int n = s->camera.surface.nvertex;
    double most = 0.0;
    for (int v = 0; v < n; ++v) {
        most = fmax(most, fabs(want[of_nodes ? s->camera.surface.node[v] : v]));
    }
    for (int v = 0; v < n; ++v) {
        assert_near(got[v], want[of_nodes ? s->camera.surface.node[v] : v], most * (1.0 / 65535.0 + 1e-6));
    }
}

static void test_simple_fields(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(2);
    studio s;
    studio_open(&s, ctx, test_model_3d(ctx, 3));
    test_pose(s.model, s.state, 5);
    packet frame = shoot(&s, NULL, 0);
    const size_t nnode = (size_t)s.model->nnode;
    double *want = calloc(nnode, sizeof *want);
    double *got = packet_field(&frame, "speed", (size_t)s.camera.surface.nvertex);
    for (size_t n = 0; n < nnode; ++n) {
        const double *v = s.state->node_vel + 3 * n;
        want[n] = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    check_field(&s, got, want, true);
    free(got);
    got = packet_field(&frame, "displacement", (size_t)s.camera.surface.nvertex);
    for (size_t n = 0; n < nnode; ++n) {
        double d[3];
        for (size_t i = 0; i < 3; ++i) {
            d[i] = s.state->node_pos[3 * n + i] - s.model->rest[n][i];
        }
        want[n] = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    }
    check_field(&s, got, want, true);
    free(got);
    got = packet_field(&frame, "von_mises", (size_t)s.camera.surface.nvertex);
    for (size_t n = 0; n < nnode; ++n) {
        want[n] = brn_von_mises(s.node_stress + 6 * n);
    }
    check_field(&s, got, want, true);
    free(got);
    for (size_t k = 0; k < 6; ++k) {
        char name[16];
        (void)snprintf(name, sizeof name, "stress_%s", brn_component_names[k]);
        got = packet_field(&frame, name, (size_t)s.camera.surface.nvertex);
        for (size_t n = 0; n < nnode; ++n) {
            want[n] = s.node_stress[6 * n + k];
        }
        check_field(&s, got, want, true);
        free(got);
    }
    /* Principal values are made by the page: their range is there, they are not. */
    const char *arrays = json_get(frame.json, "arrays");
    assert_null(json_get(arrays, "stress_1"));
    const char *range = json_get(json_get(frame.json, "ranges"), "stress_1");
    double low = INFINITY;
    double high = -INFINITY;
    for (int v = 0; v < s.camera.surface.nvertex; ++v) {
        double principal[3];
        brn_principals(s.node_stress + 6 * (size_t)s.camera.surface.node[v], principal);
        low = fmin(low, principal[0]);
        high = fmax(high, principal[0]);
    }
    double told[2];
    assert_int_equal(sscanf(range, "[%lf,%lf]", &told[0], &told[1]), 2);
    assert_near(told[0], low, 1e-6 * high);
    assert_near(told[1], high, 1e-6 * high);
    free(want);
    assert_true(json_is(json_get(frame.json, "kind"), "\"frame\""));
    assert_true(json_number(json_get(frame.json, "index")) == 3.0 &&
                json_number(json_get(frame.json, "step")) == 7.0);
    assert_true(json_number(json_get(frame.json, "time")) == 0.5);
    packet_close(&frame);
    studio_close(&s);
}

/* Of the cells that are wanted stress is what it is of all, to the bit; nothing is written where none is near. */
static void test_some_stress(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(2);
    studio s;
    studio_open(&s, ctx, test_model_3d(ctx, 6));
    const int ntet = s.outline.info.ncell[BRN_TET4], n = brn_outline_cells(&s.outline.info);
    assert_int_equal(s.all.nsample, ntet + 8 * (n - ntet));
    double *some = calloc(6 * s.all.nsample, sizeof *some);
    bool *wanted = calloc((size_t)n, sizeof *wanted);
    test_pose(s.model, s.state, 5);
    assert_done(ctx, brn_field_sample_stress(ctx, s.model, s.state->node_pos, NULL, s.sample));
    for (int c = 0; c < n; ++c) {
        wanted[c] = c % 97 == 3 || c == n - 1;
    }
    for (size_t i = 0; i < s.all.nsample; ++i) {
        some[6 * i] = -1.0;
    }
    assert_done(ctx, brn_field_sample_stress(ctx, s.model, s.state->node_pos, wanted, some));
    int left = 0;
    for (int i = 0; i < (int)s.all.nsample; ++i) {
        const int c = i < ntet ? i : ntet + (i - ntet) / 8;
        const bool same = memcmp(some + 6 * i, s.sample + 6 * i, 6 * sizeof *some) == 0;
        assert_true(same || (!wanted[c] && some[6 * i] == -1.0));
        left += !same;
    }
    assert_true(left > (int)s.all.nsample / 2);
    free(some);
    free(wanted);
    studio_close(&s);
}

/* sqrt(2/3 e:e) of E = (F'F - 1)/2, written out. */
static double equivalent_strain(const double f[3][3])
{
    double e[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            e[i][j] =
                0.5 * (f[0][i] * f[0][j] + f[1][i] * f[1][j] + f[2][i] * f[2][j] - (i == j ? 1.0 : 0.0));
        }
    }
    const double mean = (e[0][0] + e[1][1] + e[2][2]) / 3.0;
    double sum = 0.0;
    for (int i = 0; i < 9; ++i) {
        const double d = e[i / 3][i % 3] - (i / 3 == i % 3 ? mean : 0.0);
        sum += d * d;
    }
    return sqrt(2.0 / 3.0 * sum);
}

/* A homogeneous deformation has one strain everywhere, a rotation none; far from the origin too. */
static void check_strain(studio *s, const double f[3][3], const double shift[3])
{
    for (int b = 0; b < s->model->nbody; ++b) {
        place(s, b, f, shift);
    }
    packet frame = shoot(s, NULL, 0);
    double *got = packet_field(&frame, "strain", (size_t)s->camera.surface.nvertex);
    const double want = equivalent_strain(f);
    for (int v = 0; v < s->camera.surface.nvertex; ++v) {
        const bool solid = v < s->camera.surface.vertex_first[s->model->nbody - 1];
        /* f32 and 16 bits of a range from 0 (the floor has none); edges of 0.3 m at 1000 m: 1e-13 / 0.3 */
        assert_near(got[v], solid ? want : 0.0, want * 1e-5 + 1e-12);
    }
    free(got);
    packet_close(&frame);
}

static void test_strain(void **unused)
{
    (void)unused;
    static const double f[3][3] = {{1.1, 0.2, 0.0}, {0.05, 0.95, 0.1}, {0.0, -0.1, 1.2}};
    static const double flat[3][3] = {{1.1, 0.2, 0.0}, {0.05, 0.95, 0.0}, {0.0, 0.0, 1.0}};
    static const double here[3] = {0.0};
    static const double far[3] = {1000.0, -1000.0, 500.0};
    brn_ctx *ctx = test_ctx(2);
    studio s;
    studio_open(&s, ctx, test_model_3d(ctx, 3));
    check_strain(&s, f, here);
    check_strain(&s, turned, here);
    check_strain(&s, f, far);
    check_strain(&s, turned, far);
    studio_close(&s);
    ctx = test_ctx(1);
    studio_open(&s, ctx, test_model_2d(ctx));
    check_strain(&s, flat, here);
    check_strain(&s, plane_turn, (const double[3]){1000.0, 500.0, 0.0});
    /* plane strain: a stretch to 1.1 along x alone, E = diag(0.105, 0, 0), e:e = 2/3 0.105^2 */
    static const double pulled[3][3] = {{1.1, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    assert_near(equivalent_strain(pulled), 0.105 * 2.0 / 3.0, 1e-15);
    check_strain(&s, pulled, here);
    studio_close(&s);
}

/* An inhomogeneous one, cell by cell at the element's own quadrature, by way of its samples. */
static void test_uneven_strain(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(2);
    studio s;
    studio_open(&s, ctx, test_model_3d(ctx, 3));
    test_pose(s.model, s.state, 9);
    double(*sample)[6] = calloc(s.all.nsample, sizeof *sample);
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const brn_element *element = brn_element_of_cell((brn_cell)kind);
        for (int c = 0; c < s.outline.info.ncell[kind]; ++c) {
            const int *node = s.outline.info.cell[kind] + c * element->nnode;
            brn_sampling share;
            brn_element_sampling(element, share);
            for (int q = 0; q < element->nquad; ++q) {
                double dn[20][3];
                double rest[9] = {0}, now[9] = {0}, inv[9], f[9];
                element->gradient(element->point + 3 * q, dn);
                for (int a = 0; a < element->nnode; ++a) {
                    for (int k = 0; k < 9; ++k) {
                        rest[k] += s.model->rest[node[a]][k / 3] * dn[a][k % 3];
                        now[k] += s.state->node_pos[3 * node[a] + k / 3] * dn[a][k % 3];
                    }
                }
                const double det = rest[0] * (rest[4] * rest[8] - rest[5] * rest[7]) -
                                   rest[1] * (rest[3] * rest[8] - rest[5] * rest[6]) +
                                   rest[2] * (rest[3] * rest[7] - rest[4] * rest[6]);
                for (int k = 0; k < 9; ++k) {
                    const int i = (k % 3 + 1) % 3, j = (k % 3 + 2) % 3, m = (k / 3 + 1) % 3,
                              n = (k / 3 + 2) % 3;
                    inv[k] = (rest[3 * i + m] * rest[3 * j + n] - rest[3 * i + n] * rest[3 * j + m]) / det;
                }
                for (int k = 0; k < 9; ++k) {
                    f[k] = 0.0;
                    for (int r = 0; r < 3; ++r) {
                        f[k] += now[3 * (k / 3) + r] * inv[3 * r + k % 3];
                    }
                }
                static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
                for (int m = 0; m < element->nsample; ++m) {
                    double *to =
                        sample[s.all.sample_first[kind] + (size_t)c * (size_t)element->nsample + (size_t)m];
                    for (int k = 0; k < 6; ++k) {
                        const int i = at[k][0], j = at[k][1];
                        const double cc = f[i] * f[j] + f[3 + i] * f[3 + j] + f[6 + i] * f[6 + j];
                        to[k] += share[m][q] * 0.5 * (cc - (i == j ? 1.0 : 0.0));
                    }
                }
            }
        }
    }
    double *want = calloc((size_t)s.model->nnode, sizeof *want);
    double(*node_strain)[6] = calloc((size_t)s.model->nnode, sizeof *node_strain);
    assert_done(ctx, brn_recovery_apply(&s.all, sample[0], node_strain[0]));
    for (int n = 0; n < s.model->nnode; ++n) {
        want[n] = 2.0 / 3.0 * brn_von_mises(node_strain[n]);
    }
    packet frame = shoot(&s, NULL, 0);
    double *got = packet_field(&frame, "strain", (size_t)s.camera.surface.nvertex);
    check_field(&s, got, want, true);
    free(got);
    packet_close(&frame);
    free(sample);
    free(node_strain);
    free(want);
    studio_close(&s);
}

/* ---- pressure ---------------------------------------------------------------------------------------------------------- */

/* [m^2] (2D: [m]) of a vertex: a third of the triangles around it, half of the edges, as they are now. */
static double *vertex_areas(const studio *s)
{
    const brn_drawing *surface = &s->camera.surface;
    const int width = s->model->dim;
    const int n = width == 3 ? surface->ntri : surface->nedge;
    double *area = calloc((size_t)surface->nvertex, sizeof *area);
    for (int f = 0; f < n; ++f) {
        const int *v = width == 3 ? surface->tri[f] : surface->edge[f];
        const double *a = s->state->node_pos + 3 * surface->node[v[0]];
        const double *b = s->state->node_pos + 3 * surface->node[v[1]];
        const double *c = width == 3 ? s->state->node_pos + 3 * surface->node[v[2]] : b;
        double u[3], w[3];
        for (int i = 0; i < 3; ++i) {
            u[i] = b[i] - a[i];
            w[i] = c[i] - a[i];
        }
        const double uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
        const double ww = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
        const double uw = u[0] * w[0] + u[1] * w[1] + u[2] * w[2];
        const double share = width == 3 ? 0.5 * sqrt(uu * ww - uw * uw) / 3.0 : 0.5 * sqrt(uu);
        for (int i = 0; i < width; ++i) {
            area[v[i]] += share;
        }
    }
    return area;
}

/* Force on the vertices of each body from pressure times area. */
static void body_forces(const studio *s, const packet *frame, double *out, double *step)
{
    const brn_drawing *surface = &s->camera.surface;
    double *p = packet_field(frame, "pressure", (size_t)surface->nvertex);
    double *area = vertex_areas(s);
    const char *range = json_get(json_get(frame->json, "ranges"), "pressure");
    *step = 0.0;
    for (int b = 0; b < s->model->nbody; ++b) {
        out[b] = 0.0;
        double total = 0.0;
        for (int v = surface->vertex_first[b]; v < surface->vertex_first[b + 1]; ++v) {
            out[b] += p[v] * area[v];
            total += area[v];
        }
        const double width = json_number(json_item(range, 1)) - json_number(json_item(range, 0));
        *step = fmax(*step, total * width / 131070.0);
    }
    free(p);
    free(area);
}

static void test_pressure_sum(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(2);
    studio s;
    studio_open(&s, ctx, test_model_3d(ctx, 3));
    for (int frame = 0; frame < 5; ++frame) {
        brn_contact_point point[TEST_POINTS];
        test_pose(s.model, s.state, frame);
        const int n = test_points(s.model, frame, point);
        for (int k = 0; k < n; k += 7) {
            point[k].normal_force *= -0.1; /* some take off what others count twice */
        }
        packet got = shoot(&s, point, n);
        double want[3] = {0.0};
        double force[3];
        double step = 0.0;
        double all = 0.0;
        for (int k = 0; k < n; ++k) {
            want[point[k].body[0]] += point[k].normal_force;
            want[point[k].body[1]] += point[k].normal_force;
            all += fabs(point[k].normal_force);
        }
        body_forces(&s, &got, force, &step);
        for (int b = 0; b < 2; ++b) {
            /* half a step of quantisation at every vertex, and f32 */
            assert_near(force[b], want[b], step + 1e-6 * all);
        }
        assert_near(force[2], 0.0, step); /* a half-space has none */
        packet_close(&got);
    }
    studio_close(&s);
}

/* A force in the middle of a face's edge goes to its two ends, one at a corner to the corner. */
static void test_pressure_place(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    studio s;
    studio_open(&s, ctx, test_model_3d(ctx, 2));
    /* on the top face z = 1 of the first block, on an edge of the mesh, between (0.5, 0.5) and (1, 0.5); the other body far off */
    const double gap = 1e-3;
    brn_contact_point point = {.body = {0, 1},
                               .place = {0.875, 0.5, 1.0 + gap / 2},
                               .normal = {0, 0, -1},
                               .gap = gap,
                               .normal_force = 8.0};
    packet got = shoot(&s, &point, 1);
    double *p = packet_field(&got, "pressure", (size_t)s.camera.surface.nvertex);
    double *area = vertex_areas(&s);
    int touched = 0;
    for (int v = 0; v < s.camera.surface.vertex_first[1]; ++v) {
        const double *x = s.model->rest[s.camera.surface.node[v]];
        const bool middle = x[0] == 0.5 && x[1] == 0.5 && x[2] == 1.0;
        const bool side = x[0] == 1.0 && x[1] == 0.5 && x[2] == 1.0;
        /* 0.125 of 0.5 from the side: three quarters of the force; 16 bits and f32 */
        assert_near(p[v] * area[v], middle ? 2.0 : side ? 6.0 : 0.0, 1e-3);
        touched += middle || side;
    }
    assert_int_equal(touched, 2);
    free(p);
    free(area);
    packet_close(&got);
    studio_close(&s);
}

/* A body that touches itself: the two sides of a folded sheet are as near to the point; each gets the force on its outside. */
static void check_self(studio *s, double gap)
{
    /* The upper nodes of the first block go below the lower ones, so that its former top, z = 1, faces its former bottom,
       z = 0, across a gap. */
    for (int n = 0; n < s->model->body[0].node_count; ++n) {
        const double z = s->model->rest[n][2];
        s->state->node_pos[3 * n + 2] = z == 1.0 ? -gap : z;
    }
    brn_contact_point point = {.body = {0, 0},
                               .place = {0.25, 0.25, -gap / 2},
                               .normal = {0, 0, 1},
                               .gap = gap,
                               .normal_force = 8.0};
    packet got = shoot(s, &point, 1);
    double *p = packet_field(&got, "pressure", (size_t)s->camera.surface.nvertex);
    double *area = vertex_areas(s);
    double low = 0.0, high = 0.0;
    for (int v = 0; v < s->camera.surface.vertex_first[1]; ++v) {
        const double z = s->model->rest[s->camera.surface.node[v]][2];
        low += z == 0.0 ? p[v] * area[v] : 0.0;
        high += z == 1.0 ? p[v] * area[v] : 0.0;
    }
    assert_near(low, 8.0, 1e-2); /* 16 bits at every vertex */
    assert_near(high, 8.0, 1e-2);
    free(p);
    free(area);
    packet_close(&got);
}

static void test_pressure_self(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    studio s;
    studio_open(&s, ctx, test_model_3d(ctx, 2));
    check_self(&s, 1e-2);
    check_self(&s, 1e-9);
    check_self(&s, 0.0); /* only the direction of the force tells them apart */
    studio_close(&s);
}

static void test_pressure_flat(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    studio s;
    studio_open(&s, ctx, test_model_2d(ctx));
    brn_contact_point point = {
        .body = {0, 1}, .place = {0.125, -1e-4, 0.0}, .normal = {0, 1, 0}, .gap = 2e-4, .normal_force = 4.0};
    packet got = shoot(&s, &point, 1);
    double *p = packet_field(&got, "pressure", (size_t)s.camera.surface.nvertex);
    /* the bottom has edges of 0.5 m, a corner half of two of them; three quarters of the force go to the corner [N/m / m] */
    for (int v = 0; v < s.camera.surface.nvertex; ++v) {
        const double *x = s.model->rest[s.camera.surface.node[v]];
        const bool corner = x[0] == 0.0 && x[1] == 0.0;
        const bool middle = x[0] == 0.5 && x[1] == 0.0;
        assert_near(p[v], corner ? 6.0 : middle ? 2.0 : 0.0, 1e-4);
    }
    free(p);
    packet_close(&got);
    studio_close(&s);
}

/* ---- contacts ----------------------------------------------------------------------------------------------------------- */

static void test_contacts(void **unused)
{
    (void)unused;
    enum { MANY = 2 * BRN_SHOT_CONTACTS_MAX + 17 };
    brn_ctx *ctx = test_ctx(2);
    studio s;
    studio_open(&s, ctx, test_model_3d(ctx, 2));
    brn_contact_point *point = calloc(MANY, sizeof *point);
    for (int k = 0; k < MANY; ++k) {
        point[k] = (brn_contact_point){.body = {k % 2, 2},
                                       .place = {k, 1.0, 2.0},
                                       .normal = {0.6, -0.8, 0.0},
                                       .gap = 1e-3 * k,
                                       .normal_force = k * 2654435761u % 100000 - 1000.0,
                                       .friction = {1.0, 2.0, 3.0},
                                       .slip = {0.0, 3.0, 4.0},
                                       .mu = k % 3};
    }
    for (int few = 0; few < 2; ++few) {
        const int n = few ? 12 : MANY;
        packet got = shoot(&s, point, n);
        const int shown = (int)json_number(json_get(got.json, "contacts"));
        assert_int_equal(shown, few ? 12 : BRN_SHOT_CONTACTS_MAX);
        assert_int_equal((int)json_number(json_get(got.json, "contacts_total")), n);
        size_t count = 0;
        double *data = packet_array(&got, "contact", "f32", &count);
        assert_int_equal(count, 9 * shown);
        double *normal = packet_array(&got, "contact_normal", "i16", &count);
        assert_int_equal(count, 3 * shown);
        double *body = packet_array(&got, "contact_body", "u16", &count);
        assert_int_equal(count, 2 * shown);
        double *stick = packet_array(&got, "contact_stick", "u8", &count);
        assert_int_equal(count, shown);
        double weakest = INFINITY;
        bool *seen = calloc(MANY, 1);
        for (int i = 0; i < shown; ++i) {
            const int k = (int)data[9 * i]; /* its place tells which it is */
            assert_true(i == 0 || k > (int)data[9 * (i - 1)]);
            seen[k] = true;
            const brn_contact_point *p = &point[k];
            const double want[9] = {k, 1.0, 2.0, 1.0, 2.0, 3.0, p->normal_force, p->gap, 5.0};
            for (int j = 0; j < 9; ++j) {
                assert_true(data[9 * i + j] == (double)(float)want[j]);
            }
            assert_true(normal[3 * i] == 19660.0 && normal[3 * i + 1] == -26214.0 &&
                        normal[3 * i + 2] == 0.0);
            assert_true(body[2 * i] == k % 2 && body[2 * i + 1] == 2.0);
            assert_int_equal((int)stick[i],
                             p->normal_force > 0.0 && sqrt(14.0) < p->mu * p->normal_force * (1.0 - 1e-9));
            weakest = fmin(weakest, p->normal_force);
        }
        for (int k = 0; k < n; ++k) {
            assert_true(seen[k] || point[k].normal_force <= weakest);
        }
        free(seen);
        free(data);
        free(normal);
        free(body);
        free(stick);
        packet_close(&got);
    }
    free(point);
    studio_close(&s);
}

/* ---- the same whoever computes it, and out of memory --------------------------------------------------------------------- */

static void test_threads(void **unused)
{
    (void)unused;
    unsigned char *first = NULL;
    size_t nfirst = 0;
    for (int threads = 1; threads <= 4; threads += 3) {
        brn_ctx *ctx = test_ctx(threads);
        studio s;
        studio_open(&s, ctx, test_model_3d(ctx, 5));
        brn_contact_point point[TEST_POINTS];
        test_pose(s.model, s.state, 3);
        packet got = shoot(&s, point, test_points(s.model, 3, point));
        const size_t n = (size_t)(got.data - got.bytes) + got.ndata;
        if (first != NULL) {
            assert_int_equal(n, nfirst);
            assert_memory_equal(first, got.bytes, n);
        }
        free(first);
        first = malloc(n);
        memcpy(first, got.bytes, n);
        nfirst = n;
        packet_close(&got);
        studio_close(&s);
    }
    free(first);
}

/* Pressure does not depend on the frames that were looked at before: live and recorded frames must agree. */
static void test_any_order(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    studio a;
    studio_open(&a, ctx, test_model_3d(ctx, 4));
    brn_ctx *other = test_ctx(1);
    studio b;
    studio_open(&b, other, test_model_3d(other, 4));
    brn_contact_point point[TEST_POINTS];
    test_pose(a.model, a.state, 8);
    packet before = shoot(&a, point, test_points(a.model, 3, point));
    packet_close(&before);
    test_pose(a.model, a.state, 1);
    test_pose(b.model, b.state, 1);
    const int n = test_points(a.model, 15, point);
    assert_true(n > 1000);
    packet x = shoot(&a, point, n);
    packet y = shoot(&b, point, n);
    assert_int_equal(x.ndata, y.ndata);
    assert_string_equal(x.json, y.json);
    assert_memory_equal(x.data, y.data, x.ndata);
    packet_close(&x);
    packet_close(&y);
    studio_close(&a);
    studio_close(&b);
}

typedef struct shot_case {
    const brn_playback_info *info;
    const brn_instant *now;
} shot_case;

static brn_status shoot_once(brn_ctx *ctx, void *arg)
{
    const shot_case *c = arg;
    brn_camera camera = {.ctx = ctx};
    brn_shown_range span[BRN_SHOWN_COUNT];
    const void *bytes = NULL;
    size_t size = 0;
    brn_status status = brn_camera_make(&camera, c->info);
    status = status >= 0 ? brn_camera_shoot(&camera, c->now, 0, true, span, &bytes, &size) : status;
    brn_camera_clear(&camera);
    return status;
}

static void test_no_memory(void **unused)
{
    (void)unused;
    enum { MANY = BRN_SHOT_CONTACTS_MAX + 1 };
    brn_ctx *ctx = test_ctx(1);
    studio s;
    studio_open(&s, ctx, test_model_3d(ctx, 2));
    brn_contact_point *point = calloc(MANY, sizeof *point);
    for (int k = 0; k < MANY; ++k) {
        point[k] = (brn_contact_point){.body = {0, 1}, .normal_force = k};
    }
    test_pose(s.model, s.state, 3);
    s.state->node_pos[0] = NAN;
    const brn_instant now = {.pos = s.state->node_pos,
                             .vel = s.state->node_vel,
                             .node_stress = s.node_stress,
                             .point = point,
                             .npoint = MANY};
    shot_case c = {&s.outline.info, &now};
    assert_true(faulty_run(shoot_once, &c, 0) > 40);
    free(point);
    studio_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbering),     cmocka_unit_test(test_bad_boundary),
        cmocka_unit_test(test_positions),     cmocka_unit_test(test_wild_positions),
        cmocka_unit_test(test_simple_fields), cmocka_unit_test(test_some_stress),
        cmocka_unit_test(test_strain),        cmocka_unit_test(test_uneven_strain),
        cmocka_unit_test(test_pressure_sum),  cmocka_unit_test(test_pressure_place),
        cmocka_unit_test(test_pressure_self), cmocka_unit_test(test_pressure_flat),
        cmocka_unit_test(test_contacts),      cmocka_unit_test(test_threads),
        cmocka_unit_test(test_any_order),     cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
