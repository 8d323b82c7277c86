/* The exported files are parsed back here by code that shares nothing with the writers. */
#define _GNU_SOURCE
#include "faulty.h"
#include "full_disk.h"
#include "no_fsync.h"
#include "output_model.h"

#include "base/os.h"
#include "base/text.h"
#include "output/drawing/strain.h"
#include "output/export/export.h"
#include "output/trajectory/fields.h"

#include <zlib.h>

#define DIR "export-files"

static void record(brn_ctx *ctx, const brn_model *model, const char *path, int nframe)
{
    brn_contact_point point[TEST_POINTS];
    brn_trajectory *trajectory = NULL;
    brn_state *state = test_state(ctx, model);
    assert_done(ctx, brn_dir_make(ctx, DIR));
    assert_done(ctx, brn_trajectory_open(ctx, path, model, -1, &trajectory));
    for (int f = 0; f < nframe; ++f) {
        test_pose(model, state, 10 * f);
        assert_done(ctx, brn_trajectory_add(trajectory, state, 0.1 * f, state->node_vel, point,
                                            test_points(model, f, point), state->node_pos));
    }
    assert_done(ctx, brn_trajectory_close(trajectory));
    brn_state_destroy(state);
}

static char *read_all(brn_ctx *ctx, const char *path, size_t *length)
{
    char *text = NULL;
    size_t n = 0;
    assert_done(ctx, brn_file_read(ctx, path, 1 << 26, &text, &n));
    if (length != NULL) {
        *length = n;
    }
    return text;
}

/* ---- VTU --------------------------------------------------------------------------------------------------------- */

typedef struct vtu_file {
    char *bytes;
    size_t length;
    const char *data; /* behind the underscore */
} vtu_file;

static vtu_file vtu_open(brn_ctx *ctx, const char *path)
{
    vtu_file file = {0};
    assert_done(ctx, brn_file_read(ctx, path, 1 << 26, &file.bytes, &file.length));
    const char *mark = strstr(file.bytes, "<AppendedData encoding=\"raw\">");
    assert_non_null(mark);
    file.data = strchr(mark, '_') + 1;
    assert_non_null(strstr(file.bytes, "header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\""));
    return file;
}

/* Value of an attribute inside a tag. */
static long attribute(const char *tag, const char *name)
{
    char key[64];
    (void)snprintf(key, sizeof key, " %s=\"", name);
    const char *at = strstr(tag, key);
    assert_non_null(at);
    assert_true(at < strchr(tag, '>'));
    return atol(at + strlen(key));
}

/* Unpacks the array `name` of `section`; its type and length in bytes must be as told. */
static void *vtu_array(const vtu_file *file, const char *section, const char *name, const char *type,
                       size_t length)
{
    char key[96];
    const char *start = strstr(file->bytes, section);
    assert_non_null(start);
    (void)snprintf(key, sizeof key, "<DataArray type=\"%s\" Name=\"%s\"", type, name);
    const char *tag = strstr(start, key);
    if (tag == NULL) {
        fail_msg("no %s in %s", key, section);
        return NULL;
    }
    const char *packed = file->data + attribute(tag, "offset");
    uint64_t head[3];
    memcpy(head, packed, sizeof head);
    uint64_t *sizes = malloc((head[0] + 1) * sizeof *sizes);
    memcpy(sizes, packed + sizeof head, head[0] * sizeof *sizes);
    const char *block = packed + (3 + head[0]) * sizeof *sizes;
    unsigned char *out = malloc(length + 1);
    size_t done = 0;
    for (uint64_t b = 0; b < head[0]; ++b) {
        const size_t want = b + 1 < head[0] || head[2] == 0 ? head[1] : head[2];
        uLongf got = length - done;
        assert_true(block + sizes[b] < file->bytes + file->length);
        assert_int_equal(uncompress(out + done, &got, (const Bytef *)block, sizes[b]), Z_OK);
        assert_int_equal(got, want);
        done += got;
        block += sizes[b];
    }
    assert_int_equal(done, length);
    free(sizes);
    return out;
}

static void expect_reals(const vtu_file *file, const char *section, const char *name, const double *want,
                         size_t count)
{
    double *got = vtu_array(file, section, name, "Float64", count * sizeof *want);
    assert_memory_equal(got, want, count * sizeof *want);
    free(got);
}

static void expect_stress(const vtu_file *file, const char *section, const double *stress, size_t known,
                          size_t count)
{
    static const int order[6] = {0, 1, 2, 5, 3, 4}; /* VTK: xx yy zz xy yz xz */
    double *tensor = calloc(6 * count, sizeof *tensor);
    double *mises = calloc(count, sizeof *mises);
    for (size_t i = 0; i < known; ++i) {
        mises[i] = brn_von_mises(stress + 6 * i);
        for (int k = 0; k < 6; ++k) {
            tensor[6 * i + (size_t)k] = stress[6 * i + (size_t)order[k]];
        }
    }
    expect_reals(file, section, "stress", tensor, 6 * count);
    expect_reals(file, section, "von_mises", mises, count);
    free(tensor);
    free(mises);
}

/* Principal stresses, and strain as the page has it. */
static void expect_derived(brn_ctx *ctx, const vtu_file *file, const brn_playback_info *info,
                           const double *stress, const double *pos)
{
    const size_t n = (size_t)info->nnode;
    brn_recovery recovery = {.ctx = ctx};
    brn_strain of_cells = {.ctx = ctx};
    assert_done(ctx, brn_recovery_make(&recovery, info, NULL, 0));
    assert_done(ctx, brn_strain_make(&of_cells, info, &recovery));
    double *sample = calloc(6 * recovery.nsample, sizeof *sample);
    double *strain = calloc(6 * n, sizeof *strain);
    double *part = calloc(6 * n, sizeof *part);
    assert_done(ctx, brn_strain_samples(&of_cells, pos, sample));
    assert_done(ctx, brn_recovery_apply(&recovery, sample, strain));
    for (size_t k = 0; k < 6; ++k) {
        char name[16];
        (void)snprintf(name, sizeof name, "%s_%zu", k < 3 ? "stress" : "strain", k % 3 + 1);
        for (size_t i = 0; i < n; ++i) {
            double principal[3];
            brn_principals((k < 3 ? stress : strain) + 6 * i, principal);
            part[i] = principal[k % 3];
        }
        expect_reals(file, "<PointData>", name, part, n);
    }
    for (size_t i = 0; i < n; ++i) {
        part[i] = 2.0 / 3.0 * brn_von_mises(strain + 6 * i);
    }
    expect_reals(file, "<PointData>", "equivalent_strain", part, n);
    brn_strain_clear(&of_cells);
    brn_recovery_clear(&recovery);
    free(sample);
    free(strain);
    free(part);
}

static void expect_cells(const vtu_file *file, const brn_playback_info *info, size_t ncell)
{
    static const int kinds[] = {BRN_TRI6, BRN_TET4, BRN_HEX8};
    static const int vtk[] = {22, 10, 12};
    int64_t *offset = vtu_array(file, "<Cells>", "offsets", "Int64", ncell * 8);
    int64_t *node = vtu_array(file, "<Cells>", "connectivity", "Int64", (size_t)offset[ncell - 1] * 8);
    unsigned char *type = vtu_array(file, "<Cells>", "types", "UInt8", ncell);
    int *body = vtu_array(file, "<CellData>", "body", "Int32", ncell * 4);
    size_t c = 0;
    int64_t at = 0;
    for (int k = 0; k < 3; ++k) {
        const int width = brn_cell_get((brn_cell)kinds[k])->nnode;
        for (int i = 0; i < info->ncell[kinds[k]]; ++i, ++c) {
            for (int n = 0; n < width; ++n) {
                assert_int_equal(node[at + n], info->cell[kinds[k]][i * width + n]);
            }
            at += width;
            assert_int_equal(offset[c], at);
            assert_int_equal(type[c], vtk[k]);
            assert_int_equal(body[c], info->cell_body[kinds[k]][i]);
        }
    }
    for (; c < ncell; ++c) { /* the floor */
        assert_int_equal(type[c], info->dim == 2 ? 3 : 5);
        assert_int_equal(body[c], info->nbody - 1);
    }
    free(offset);
    free(node);
    free(type);
    free(body);
}

static void check_vtu(brn_ctx *ctx, const brn_model *model, brn_playback *playback, const char *path,
                      int index, size_t floor)
{
    const brn_playback_info *info = brn_playback_get(playback);
    const size_t n = (size_t)info->nnode;
    size_t volume = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        volume += (size_t)info->ncell[kind];
    }
    double *cell = malloc(6 * volume * sizeof *cell);
    double *node = malloc(6 * n * sizeof *node);
    brn_state *state = test_state(ctx, model);
    test_pose(model, state, 10 * index);
    assert_done(ctx,
                brn_playback_read(playback, index, &(brn_frame){.cell_stress = cell, .node_stress = node}));
    vtu_file file = vtu_open(ctx, path);
    const char *piece = strstr(file.bytes, "<Piece");
    assert_int_equal(attribute(piece, "NumberOfPoints"), n);
    assert_int_equal(attribute(piece, "NumberOfCells"), volume + floor);
    expect_reals(&file, "<Points>", "position", state->node_pos, 3 * n);
    expect_reals(&file, "<PointData>", "velocity", state->node_vel, 3 * n);
    expect_reals(&file, "<PointData>", "force", state->node_vel, 3 * n);
    for (size_t i = 0; i < 3 * n; ++i) {
        state->node_vel[i] = state->node_pos[i] - model->rest[i / 3][i % 3];
    }
    expect_reals(&file, "<PointData>", "displacement", state->node_vel, 3 * n);
    expect_stress(&file, "<PointData>", node, n, n);
    expect_stress(&file, "<CellData>", cell, volume, volume + floor);
    expect_derived(ctx, &file, info, node, state->node_pos);
    expect_cells(&file, info, volume + floor);
    brn_free(ctx, file.bytes);
    brn_state_destroy(state);
    free(cell);
    free(node);
}

static void test_vtu_holds_the_frames(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(2);
    brn_model *model = test_model_3d(ctx, 13); /* 5488 nodes: several blocks of 64 kB an array */
    record(ctx, model, DIR "/big.h5", 3);
    brn_playback *playback = NULL;
    int files = 0;
    assert_done(ctx, brn_playback_open(ctx, DIR "/big.h5", &playback));
    assert_done(ctx, brn_export_vtu(ctx, playback, DIR "/vtu/big", 2, &files));
    assert_int_equal(files, 3);
    check_vtu(ctx, model, playback, DIR "/vtu/big/frame_0000.vtu", 0, 2);
    check_vtu(ctx, model, playback, DIR "/vtu/big/frame_0002.vtu", 2, 2);
    assert_false(brn_file_exists(DIR "/vtu/big/frame_0001.vtu"));
    char *pvd = read_all(ctx, DIR "/vtu/big/trajectory.pvd", NULL);
    assert_non_null(strstr(pvd, "<DataSet timestep=\"0.0\" part=\"0\" file=\"frame_0000.vtu\"/>"));
    assert_non_null(strstr(pvd, "<DataSet timestep=\"0.2\" part=\"0\" file=\"frame_0002.vtu\"/>"));
    brn_free(ctx, pvd);
    /* The same bytes whoever compresses. */
    size_t one_length = 0;
    size_t many_length = 0;
    char *many = read_all(ctx, DIR "/vtu/big/frame_0002.vtu", &many_length);
    brn_ctx *alone = test_ctx(1);
    assert_done(alone, brn_export_vtu(alone, playback, DIR "/vtu/big", 2, &files));
    char *one = read_all(ctx, DIR "/vtu/big/frame_0002.vtu", &one_length);
    assert_int_equal(one_length, many_length);
    assert_memory_equal(one, many, one_length);
    brn_free(ctx, one);
    brn_free(ctx, many);
    brn_ctx_destroy(alone);
    brn_playback_close(playback);
    test_model_free(model);

    model = test_model_2d(ctx);
    record(ctx, model, DIR "/flat.h5", 2);
    assert_done(ctx, brn_playback_open(ctx, DIR "/flat.h5", &playback));
    assert_done(ctx, brn_export_vtu(ctx, playback, DIR "/vtu/flat", 1, &files));
    assert_int_equal(files, 3);
    check_vtu(ctx, model, playback, DIR "/vtu/flat/frame_0001.vtu", 1, 1);
    brn_playback_close(playback);
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

/* ---- OBJ --------------------------------------------------------------------------------------------------------- */

static void test_obj_holds_the_surface(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = test_model_3d(ctx, 3);
    record(ctx, model, DIR "/surface.h5", 2);
    brn_playback *playback = NULL;
    int files = 0;
    assert_done(ctx, brn_playback_open(ctx, DIR "/surface.h5", &playback));
    const brn_playback_info *info = brn_playback_get(playback);
    assert_done(ctx, brn_export_obj(ctx, playback, DIR "/obj", 1, &files));
    assert_int_equal(files, 2);
    char *text = read_all(ctx, DIR "/obj/frame_0001.obj", NULL);
    assert_non_null(strstr(text, "o tets\n"));
    assert_non_null(strstr(text, "o a_\"bar\",_odd\n"));
    brn_state *state = test_state(ctx, model);
    test_pose(model, state, 10);
    /* Every face must show the positions of the triangle's nodes, bit by bit. */
    double vertex[200][3];
    int nvertex = 0;
    int ntri = 0;
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        int f[3];
        if (line[0] == 'v') {
            double *v = vertex[nvertex++];
            assert_true(nvertex <= 200);
            assert_int_equal(sscanf(line, "v %lf %lf %lf", &v[0], &v[1], &v[2]), 3);
        } else if (sscanf(line, "f %d %d %d", &f[0], &f[1], &f[2]) == 3) {
            assert_true(ntri < info->ntri);
            for (int i = 0; i < 3; ++i) {
                assert_in_range(f[i], 1, nvertex);
                assert_memory_equal(vertex[f[i] - 1], state->node_pos + 3 * info->tri[ntri][i],
                                    sizeof *vertex);
            }
            ntri++;
        } else {
            assert_int_equal(line[0], 'o');
        }
    }
    assert_int_equal(ntri, info->ntri);
    assert_int_equal(nvertex, 56 + 56 + 4); /* inner nodes are left out */
    brn_free(ctx, text);
    brn_state_destroy(state);
    brn_playback_close(playback);
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

static void test_csv_holds_the_nodes(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = test_model_3d(ctx, 1);
    record(ctx, model, DIR "/nodes.h5", 3);
    brn_playback *playback = NULL;
    int files = 0;
    assert_done(ctx, brn_playback_open(ctx, DIR "/nodes.h5", &playback));
    assert_done(ctx, brn_export_csv(ctx, playback, DIR "/csv", 2, &files));
    assert_int_equal(files, 2);
    char *text = read_all(ctx, DIR "/csv/frames.csv", NULL);
    assert_string_equal(text, "frame,step,time\n0,0,0.0\n2,20,0.2\n");
    brn_free(ctx, text);
    text = read_all(ctx, DIR "/csv/nodes.csv", NULL);
    assert_false(brn_file_exists(DIR "/csv/nodes.csv.tmp"));
    char *line = strtok(text, "\n");
    assert_string_equal(line, "frame,time,body,node,x,y,z,vx,vy,vz,fx,fy,fz,stress_xx,stress_yy,stress_zz,"
                              "stress_yz,stress_xz,stress_xy,von_mises,stress_1,stress_2,stress_3,strain_xx,"
                              "strain_yy,strain_zz,strain_yz,strain_xz,strain_xy,equivalent_strain,strain_1,"
                              "strain_2,strain_3");
    double stress[6 * 20];
    brn_state *state = test_state(ctx, model);
    const char *names[3] = {"tets", "\"a \"\"bar\"\", odd\"", "floor <&>"};
    for (int f = 0; f < 3; f += 2) {
        test_pose(model, state, 10 * f);
        assert_done(ctx, brn_playback_read(playback, f, &(brn_frame){.node_stress = stress}));
        for (int n = 0; n < 20; ++n) {
            char head[64];
            line = strtok(NULL, "\n");
            assert_non_null(line);
            (void)snprintf(head, sizeof head, "%d,%s,%s,%d,", f, f == 0 ? "0.0" : "0.2", names[n / 8], n);
            assert_int_equal(strncmp(line, head, strlen(head)), 0);
            double v[29];
            char *at = line + strlen(head) - 1;
            for (int k = 0; k < 29; ++k) {
                assert_int_equal(*at, ',');
                v[k] = strtod(at + 1, &at);
            }
            assert_int_equal(*at, '\0');
            assert_memory_equal(v + 9, stress + 6 * n, 48);
            assert_true(v[15] == brn_von_mises(v + 9) && v[25] == 2.0 / 3.0 * brn_von_mises(v + 19));
            for (int t = 9; t < 29; t += 10) {
                double principal[3];
                brn_principals(v + t, principal);
                assert_memory_equal(v + t + 7, principal, 24);
            }
            assert_memory_equal(v, state->node_pos + 3 * n, 24);
            assert_memory_equal(v + 3, state->node_vel + 3 * n, 24);
            assert_memory_equal(v + 6, state->node_vel + 3 * n, 24);
        }
    }
    assert_null(strtok(NULL, "\n"));
    brn_free(ctx, text);
    brn_state_destroy(state);
    brn_playback_close(playback);
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

/* One quantity of all points, behind each other. */
static void expect_member(const vtu_file *file, const char *name, const brn_contact_point *point, int n,
                          size_t offset, size_t width)
{
    double *want = malloc(((size_t)n * width + 1) * sizeof *want);
    for (int k = 0; k < n; ++k) {
        memcpy(want + (size_t)k * width, (const char *)&point[k] + offset, width * sizeof *want);
    }
    expect_reals(file, strcmp(name, "place") == 0 ? "<Points>" : "<PointData>", name, want,
                 (size_t)n * width);
    free(want);
}

static void check_contact_grid(brn_ctx *ctx, const brn_model *model, const char *path, int frame)
{
    brn_contact_point point[TEST_POINTS];
    double force[TEST_POINTS][3];
    const int n = test_points(model, frame, point);
    vtu_file file = vtu_open(ctx, path);
    const char *piece = strstr(file.bytes, "<Piece");
    assert_int_equal(attribute(piece, "NumberOfPoints"), n);
    assert_int_equal(attribute(piece, "NumberOfCells"), n);
    const size_t places[] = {offsetof(brn_contact_point, place),    offsetof(brn_contact_point, normal),
                             offsetof(brn_contact_point, friction), offsetof(brn_contact_point, slip),
                             offsetof(brn_contact_point, gap),      offsetof(brn_contact_point, normal_force),
                             offsetof(brn_contact_point, mu)};
    static const char *const names[] = {"place", "normal", "friction", "slip", "gap", "normal_force", "mu"};
    for (int i = 0; i < 7; ++i) {
        expect_member(&file, names[i], point, n, places[i], i < 4 ? 3 : 1);
    }
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < 3; ++i) {
            force[k][i] = point[k].normal_force * point[k].normal[i] + point[k].friction[i];
        }
    }
    expect_reals(&file, "<PointData>", "force", force[0], 3 * (size_t)n);
    int *body = vtu_array(&file, "<PointData>", "body", "Int32", 8 * (size_t)n);
    int64_t *node = vtu_array(&file, "<Cells>", "connectivity", "Int64", 8 * (size_t)n);
    int64_t *offset = vtu_array(&file, "<Cells>", "offsets", "Int64", 8 * (size_t)n);
    unsigned char *type = vtu_array(&file, "<Cells>", "types", "UInt8", (size_t)n);
    for (int k = 0; k < n; ++k) {
        assert_true(body[2 * k] == point[k].body[0] && body[2 * k + 1] == point[k].body[1]);
        assert_true(node[k] == k && offset[k] == k + 1 && type[k] == 1); /* VTK_VERTEX */
    }
    free(body);
    free(node);
    free(offset);
    free(type);
    brn_free(ctx, file.bytes);
}

static void check_contact_rows(brn_ctx *ctx, const brn_model *model, const char *path)
{
    static const char *const names[3] = {"tets", "\"a \"\"bar\"\", odd\"", "floor <&>"};
    brn_contact_point point[TEST_POINTS];
    char *text = read_all(ctx, path, NULL);
    char *line = strtok(text, "\n");
    assert_string_equal(line,
                        "frame,time,body,other,x,y,z,normal_x,normal_y,normal_z,gap,normal_force,friction_x,"
                        "friction_y,friction_z,slip_x,slip_y,slip_z,mu,stick_speed");
    for (int f = 0; f < 5; ++f) {
        const int n = test_points(model, f, point);
        for (int k = 0; k < n; ++k) {
            const brn_contact_point *p = &point[k];
            char head[96];
            char time[BRN_REAL_TEXT];
            line = strtok(NULL, "\n");
            assert_non_null(line);
            (void)snprintf(head, sizeof head, "%d,%s,%s,%s,", f, brn_format_real(0.1 * f, time),
                           names[p->body[0]], names[p->body[1]]);
            assert_int_equal(strncmp(line, head, strlen(head)), 0);
            const double want[16] = {p->place[0],    p->place[1],    p->place[2],    p->normal[0],
                                     p->normal[1],   p->normal[2],   p->gap,         p->normal_force,
                                     p->friction[0], p->friction[1], p->friction[2], p->slip[0],
                                     p->slip[1],     p->slip[2],     p->mu,          p->stick_speed};
            char *at = line + strlen(head);
            for (int i = 0; i < 16; ++i) {
                char *end = NULL;
                assert_true(strtod(at, &end) == want[i]);
                assert_int_equal(*end, i < 15 ? ',' : '\0');
                at = end + 1;
            }
        }
    }
    assert_null(strtok(NULL, "\n"));
    brn_free(ctx, text);
}

static void test_contacts(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = test_model_3d(ctx, 1);
    model->fields[BRN_FIELD_CONTACT] = true;
    record(ctx, model, DIR "/touch.h5", 5);
    brn_playback *playback = NULL;
    int files = 0;
    assert_done(ctx, brn_playback_open(ctx, DIR "/touch.h5", &playback));
    assert_done(ctx, brn_export_vtu(ctx, playback, DIR "/touch", 1, &files));
    assert_int_equal(files, 11);
    for (int f = 0; f < 5; ++f) {
        char path[64];
        (void)snprintf(path, sizeof path, DIR "/touch/contacts_%04d.vtu", f);
        check_contact_grid(ctx, model, path, f);
    }
    check_vtu(ctx, model, playback, DIR "/touch/frame_0003.vtu", 3, 2);
    char *pvd = read_all(ctx, DIR "/touch/trajectory.pvd", NULL);
    assert_non_null(strstr(pvd, "<DataSet timestep=\"0.1\" part=\"0\" file=\"frame_0001.vtu\"/>"));
    assert_non_null(strstr(pvd, "<DataSet timestep=\"0.1\" part=\"1\" file=\"contacts_0001.vtu\"/>"));
    brn_free(ctx, pvd);
    assert_done(ctx, brn_export_csv(ctx, playback, DIR "/touch", 1, &files));
    assert_int_equal(files, 3);
    check_contact_rows(ctx, model, DIR "/touch/contacts.csv");
    brn_playback_close(playback);
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

/* ---- STL --------------------------------------------------------------------------------------------------------- */

/* Every facet shows its triangle at rest in millimetres and a normal to the right side; obstacles have no file. */
static void check_stl(brn_ctx *ctx, const brn_playback_info *info, int body, const char *path)
{
    size_t length = 0;
    char *bytes = read_all(ctx, path, &length);
    int facet = 0;
    for (int t = 0; t < info->ntri; ++t) {
        if (info->tri_body[t] != body) {
            continue;
        }
        float value[12];
        assert_true(84 + 50 * ((size_t)facet + 1) <= length);
        memcpy(value, bytes + 84 + 50 * (size_t)facet++, sizeof value);
        double edge[2][3];
        for (int i = 0; i < 3; ++i) {
            for (int k = 0; k < 3; ++k) {
                assert_true(value[3 + 3 * k + i] == (float)(1e3 * info->rest[info->tri[t][k]][i]));
            }
            edge[0][i] = value[6 + i] - value[3 + i];
            edge[1][i] = value[9 + i] - value[3 + i];
        }
        const double turn = value[0] * (edge[0][1] * edge[1][2] - edge[0][2] * edge[1][1]) +
                            value[1] * (edge[0][2] * edge[1][0] - edge[0][0] * edge[1][2]) +
                            value[2] * (edge[0][0] * edge[1][1] - edge[0][1] * edge[1][0]);
        assert_true(turn > 0.0);
    }
    uint32_t count = 0;
    memcpy(&count, bytes + 80, sizeof count);
    assert_int_equal(count, facet);
    assert_int_equal(length, 84 + 50 * (size_t)facet);
    brn_free(ctx, bytes);
}

static void test_stl_holds_shapes_at_rest(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = test_model_3d(ctx, 3);
    record(ctx, model, DIR "/print.h5", 2);
    brn_playback *playback = NULL;
    int files = 0;
    assert_done(ctx, brn_playback_open(ctx, DIR "/print.h5", &playback));
    const brn_playback_info *info = brn_playback_get(playback);
    assert_done(ctx, brn_export_stl(ctx, playback, DIR "/stl", 1, &files));
    int solid = 0;
    for (int body = 0; body < info->nbody; ++body) {
        solid += info->body_type[body] != BRN_BODY_STATIC;
        if (strcmp(info->body_name[body], "tets") == 0) {
            check_stl(ctx, info, body, DIR "/stl/tets.stl");
        } else if (strncmp(info->body_name[body], "a ", 2) == 0) {
            check_stl(ctx, info, body, DIR "/stl/a__bar___odd.stl");
        }
    }
    assert_int_equal(files, solid);
    assert_true(solid < info->nbody);
    brn_playback_close(playback);
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

typedef brn_status (*export_fn)(brn_ctx *ctx, brn_playback *playback, const char *dir, int every, int *files);
static const export_fn exports[] = {brn_export_vtu, brn_export_obj, brn_export_csv, brn_export_gltf,
                                    brn_export_stl};

static brn_status one_export(brn_ctx *ctx, void *arg)
{
    brn_playback *playback = NULL;
    int files = 0;
    BRN_TRY(brn_playback_open(ctx, DIR "/life.h5", &playback));
    const brn_status status = (*(const export_fn *)arg)(ctx, playback, DIR "/life", 1, &files);
    brn_playback_close(playback);
    return status;
}

static int on_full_disk(void *arg)
{
    brn_ctx *ctx = test_ctx(1);
    return one_export(ctx, arg) == BRN_ERR_FULL && strstr(brn_ctx_message(ctx), "File too large") != NULL ? 0
                                                                                                          : 1;
}

static void test_failures(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = test_model_3d(ctx, 2);
    model->fields[BRN_FIELD_CONTACT] = true;
    record(ctx, model, DIR "/life.h5", 2);
    brn_playback *playback = NULL;
    int files = 7;
    for (int i = 0; i < BRN_COUNT(exports); ++i) {
        assert_true(faulty_run(one_export, (void *)(uintptr_t)&exports[i], 0) > 20);
        assert_int_equal(with_full_disk(1000, on_full_disk, (void *)(uintptr_t)&exports[i]), 0);
        assert_done(ctx, brn_playback_open(ctx, DIR "/life.h5", &playback));
        assert_int_equal(exports[i](ctx, playback, DIR "/life", 0, &files), BRN_ERR_RANGE);
        assert_int_equal(files, 0);
        assert_int_equal(exports[i](ctx, playback, DIR "/life.h5/below", 1, &files), BRN_ERR_FILE);
        assert_done(ctx, exports[i](ctx, playback, DIR "/life", INT32_MAX, &files));
        assert_int_equal(files, i % 2 == 1 ? 1 : i == 4 ? 2 : 3); /* obj, glb; two bodies to print */
        brn_playback_close(playback);
    }
    test_model_free(model);
    /* A trajectory without a frame, and one without anything. */
    model = test_model_start(ctx, 3, 0, 0);
    for (int nframe = 0; nframe < 2; ++nframe) {
        record(ctx, model, DIR "/void.h5", nframe);
        assert_done(ctx, brn_playback_open(ctx, DIR "/void.h5", &playback));
        for (int i = 0; i < BRN_COUNT(exports); ++i) {
            assert_done(ctx, exports[i](ctx, playback, DIR "/void", 1, &files));
        }
        brn_playback_close(playback);
    }
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vtu_holds_the_frames),
        cmocka_unit_test(test_obj_holds_the_surface),
        cmocka_unit_test(test_stl_holds_shapes_at_rest),
        cmocka_unit_test(test_csv_holds_the_nodes),
        cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
