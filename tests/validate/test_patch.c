/* The patch test [Irons & Razzaque 1972]: on an irregular mesh an element must reproduce every homogeneous deformation.
   Nodes of a 3x3x3 (3x3 in 2D) box are moved at random by up to a fifth of a cell, those on the boundary inside their
   faces; mid-edge nodes stay in the middle of their straight edges, where the quadrature integrates the constant stress
   exactly. The mesh goes through a file, and everything through scene text. */
#include "inp_writer.h"
#include "rows.h"
#include "stage.h"
#include "stress.h"
#include "uniaxial.h"

#include "phys/solid.h"

#define MESH_FILE BRN_BINARY_DIR "/validation/patch.inp"

static const struct {
    const char *name;
    brn_cell cell;
} elements[] = {{"tri3", BRN_TRI3},   {"tri6", BRN_TRI6}, {"tet4", BRN_TET4},
                {"tet10", BRN_TET10}, {"hex8", BRN_HEX8}, {"hex20", BRN_HEX20}};
enum { ELEMENTS = sizeof elements / sizeof *elements, CELLS = 3 };

/* The unit box of an element, irregular. */
typedef struct patch {
    brn_cell cell;
    const char *dilatation;
    int dim, nnode, nelem;
    double (*pos)[3];
    int *conn;
} patch;

static uint64_t random_state;

static double random_shift(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(random_state >> 11) / 9007199254740992.0 - 0.5) * 0.4 / CELLS;
}

static bool outer(double x)
{
    return fabs(fabs(x) - 0.5) < 1e-9;
}

/* The generator's regular mesh is the start; corners move, mid-edge nodes follow. */
static void patch_make(int index, patch *p)
{
    stage s;
    p->cell = elements[index].cell;
    p->dim = brn_cell_get(p->cell)->dim;
    const bool plane = p->dim == 2;
    stage_open(&s,
               "{brunt: 1, dimension: %d, time: {step: 1, end: 1}, method: none,\n"
               "materials: {m: {type: linear}},\n"
               "meshes: {box: {box: {size: %s, cells: %s, element: %s}}},\n"
               "bodies: [{name: b, type: deformable, mesh: box, material: m}]}\n",
               p->dim, plane ? "[1, 1]" : "[1, 1, 1]", plane ? "[3, 3]" : "[3, 3, 3]", elements[index].name);
    const brn_cell_info *info = brn_cell_get(p->cell);
    const brn_solid *solid = brn_solid_of_group(s.model->group[0]);
    p->nnode = s.model->nnode;
    p->nelem = solid->group.nelem;
    p->pos = calloc((size_t)p->nnode, sizeof *p->pos);
    p->conn = calloc((size_t)p->nelem * (size_t)info->nnode, sizeof *p->conn);
    memcpy(p->pos, s.model->rest, (size_t)p->nnode * sizeof *p->pos);
    memcpy(p->conn, solid->group.conn, (size_t)p->nelem * (size_t)info->nnode * sizeof *p->conn);
    stage_close(&s);
    for (int a = 0; a < p->nnode; ++a) {
        for (int i = 0; i < p->dim; ++i) {
            p->pos[a][i] += outer(p->pos[a][i]) ? 0.0 : random_shift();
        }
    }
    for (int e = 0; e < p->nelem; ++e) {
        const int *node = &p->conn[e * info->nnode];
        for (int k = info->ncorner; k < info->nnode; ++k) {
            const int *edge = info->edges[k - info->ncorner];
            for (int i = 0; i < 3; ++i) {
                p->pos[node[k]][i] = 0.5 * (p->pos[node[edge[0]]][i] + p->pos[node[edge[1]]][i]);
            }
        }
    }
    inp_write(MESH_FILE, p->cell, p->nnode, (const double(*)[3])p->pos, p->nelem, p->conn);
}

static void patch_free(patch *p)
{
    free(p->pos);
    free(p->conn);
}

/* The common head of both scenes. A tolerance of 1e-14 asks Newton to go on to the rounding of the positions. */
static void write_head(FILE *file, const patch *p, const test_material *material)
{
    fprintf(file,
            "brunt: 1\ndimension: %d\ngravity: %s\ntime: {step: 1, end: 1}\n"
            "method: {type: none, tolerance: 1.0e-14}\nintegrator: static\n"
            "materials: {m: {type: %s, %s}}\nmeshes: {patch: {file: \"%s\"}}\n"
            "bodies: [{name: b, type: deformable, mesh: patch, material: m, dilatation: %s}]\n",
            p->dim, p->dim == 2 ? "[0, 0]" : "[0, 0, 0]", material->name, material->constants, MESH_FILE,
            p->dilatation);
}

/* Largest distance of a node from x = F X, and largest deviation of an element's stress relative to the largest. */
static void measure(const stage *s, const patch *p, const test_material *material, const double f[3][3],
                    const double shift[3], double *off, double *stress_off)
{
    const double *x = brn_sim_positions(s->sim);
    *off = 0.0;
    for (int a = 0; a < p->nnode; ++a) {
        for (int i = 0; i < p->dim; ++i) {
            assert_true(s->model->rest[a][i] == p->pos[a][i]);
            double want = shift[i];
            for (int j = 0; j < 3; ++j) {
                want += f[i][j] * p->pos[a][j];
            }
            *off = fmax(*off, fabs(x[3 * a + i] - want));
        }
    }
    double want[6];
    double largest = 0.0;
    true_stress(material->name, f, want);
    for (int k = 0; k < 6; ++k) {
        largest = fmax(largest, fabs(want[k]));
    }
    double *stress = calloc((size_t)p->nelem * 6, sizeof *stress);
    const brn_element_group *group = s->model->group[0];
    group->kind->stress(group, (const double(*)[3])x, 0, p->nelem, stress, NULL, NULL);
    *stress_off = 0.0;
    for (int e = 0; e < p->nelem; ++e) {
        for (int k = 0; k < 6; ++k) {
            *stress_off = fmax(*stress_off, fabs(stress[6 * e + k] - want[k]) / largest);
        }
    }
    free(stress);
}

/* Every boundary node is moved along the affine map; the inner ones must follow. */
static void affine(const patch *p, const test_material *material, double *off, double *stress_off)
{
    static const double f3[3][3] = {{1.10, 0.05, 0.02}, {-0.03, 0.95, 0.04}, {0.06, -0.02, 1.08}};
    static const double f2[3][3] = {{1.10, 0.05, 0.0}, {-0.03, 0.95, 0.0}, {0.0, 0.0, 1.0}};
    const double(*f)[3] = p->dim == 3 ? f3 : f2;
    stage s;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    write_head(file, p, material);
    fprintf(file, "fixed:\n");
    for (int a = 0; a < p->nnode; ++a) {
        const double *r = p->pos[a];
        if (!outer(r[0]) && !outer(r[1]) && !(p->dim == 3 && outer(r[2]))) {
            continue;
        }
        double u[3];
        for (int i = 0; i < 3; ++i) {
            u[i] = f[i][0] * r[0] + f[i][1] * r[1] + f[i][2] * r[2] - r[i];
        }
        fprintf(file, "  - {body: b, where: {nodes: [%d]}, motion: {table: ", a);
        fprintf(file,
                p->dim == 3 ? "[[0, 0, 0, 0], [1, %.17g, %.17g, %.17g]]}}\n"
                            : "[[0, 0, 0], [1, %.17g, %.17g]]}}\n",
                u[0], u[1], u[2]);
    }
    fclose(file);
    stage_open_text(&s, text);
    stage_run(&s);
    measure(&s, p, material, f, (const double[3]){0.0, 0.0, 0.0}, off, stress_off);
    stage_close(&s);
}

/* Symmetry planes at the low faces, a uniform load on +x, free sides: a homogeneous uniaxial state. */
static void loaded(const patch *p, const test_material *material, bool follower, double *off,
                   double *stress_off)
{
    const double pressure = 8.0e4;
    uniaxial u = {.material = material->name, .dim = p->dim};
    uniaxial_push(&u, pressure, follower);
    stage s;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    write_head(file, p, material);
    fprintf(file, "fixed:\n");
    for (int i = 0; i < p->dim; ++i) {
        fprintf(file, "  - {body: b, where: {face: -%c}, axes: %c}\n", 'x' + i, 'x' + i);
    }
    if (follower) {
        fprintf(file, "loads: [{body: b, where: {face: +x}, pressure: %g}]\n", pressure);
    } else {
        fprintf(file, "loads: [{body: b, where: {face: +x}, traction: [%g, 0%s]}]\n", -pressure,
                p->dim == 3 ? ", 0" : "");
    }
    fclose(file);
    stage_open_text(&s, text);
    stage_run(&s);
    const double f[3][3] = {{u.along, 0, 0}, {0, u.across, 0}, {0, 0, p->dim == 3 ? u.across : 1.0}};
    const double shift[3] = {0.5 * (u.along - 1.0), 0.5 * (u.across - 1.0),
                             p->dim == 3 ? 0.5 * (u.across - 1.0) : 0.0};
    measure(&s, p, material, f, shift, off, stress_off);
    stage_close(&s);
}

/* All materials; a row of the worst. */
static void check(FILE *rows, const patch *p, const char *name, int kind)
{
    static const char *const kinds[] = {"affine", "traction", "pressure"};
    const char *mean = strcmp(p->dilatation, "mean") == 0 ? " mean" : "";
    double off = 0.0;
    double stress_off = 0.0;
    for (int m = 0; m < TEST_MATERIALS; ++m) {
        double o = 0.0;
        double so = 0.0;
        if (kind == 0) {
            affine(p, &test_materials[m], &o, &so);
        } else {
            loaded(p, &test_materials[m], kind == 2, &o, &so);
        }
        const double allowed = kind == 0 ? 1e-12 : 1e-11;
        if (!(o <= allowed) || !(so <= allowed)) {
            fail_msg("%s%s, %s, %s: position off by %g m, stress by %g", name, mean, test_materials[m].name,
                     kinds[kind], o, so);
        }
        off = fmax(off, o);
        stress_off = fmax(stress_off, so);
    }
    char quantity[96];
    (void)snprintf(quantity, sizeof quantity, "%s%s, %s: position", name, mean, kinds[kind]);
    validation_row(rows, quantity, 0.0, off, off, "m");
    (void)snprintf(quantity, sizeof quantity, "%s%s, %s: stress", name, mean, kinds[kind]);
    validation_row(rows, quantity, 0.0, stress_off, stress_off, "relative");
}

static void test_patch(void **unused)
{
    (void)unused;
    FILE *rows = validation_open(
        "patch", "Patch test",
        "Irregular meshes of a unit box (nodes moved by up to a fifth of a cell), every element with every "
        "material; *mean*: with averaged volume ratios. "
        "*affine*: boundary nodes prescribed on an affine map with strains of 10 %; inner nodes must lie on "
        "it and the "
        "stress must be constant. *traction*, *pressure*: 80 kPa (E = 1 MPa) on one face, dead or following "
        "it, symmetry "
        "planes opposite; the closed form is the homogeneous uniaxial state. Measured is the largest error "
        "over "
        "all nodes [m, box of 1 m] and all elements (Cauchy stress, relative), the worst material of each. "
        "Tolerance: 1e-12 for the affine map (a hundred roundings of a position, divided by the strain for "
        "the stress); 1e-11 "
        "for the loaded states, where rounding of the forces moves the free faces too.");
    for (int e = 0; e < ELEMENTS; ++e) {
        patch p;
        random_state = (uint64_t)e + 1;
        patch_make(e, &p);
        for (int mean = 0; mean < 2; ++mean) {
            p.dilatation = mean ? "mean" : "point";
            for (int kind = 0; kind < 3; ++kind) {
                check(rows, &p, elements[e].name, kind);
            }
        }
        patch_free(&p);
    }
    validation_close(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_patch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
