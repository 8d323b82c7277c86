#include "step/system.h"

#include "base/parallel.h"
#include "phys/forces/face.h"

#include <math.h>
#include <string.h>

/* Groups with fewer elements are joined: of larger ones the last batch does not matter. */
enum { SMALL = 8 * BRN_LANES };

/* ---- element callbacks -------------------------------------------------------------------------------------------- */

typedef struct elastic_job {
    const brn_system *system;
    const double (*x)[3];
    brn_tangent tangent;
    bool damping; /* Hessian scaled by each group's beta */
} elastic_job;

static brn_status elastic_elements(void *arg, int list, int first, int count, double *energy, double *grad,
                                   double *hess, brn_arena *scratch)
{
    (void)scratch;
    const elastic_job *job = arg;
    const brn_element_group *group = job->system->part[list];
    group->kind->eval(group, job->x, first, count, job->tangent, energy, grad, hess);
    if (job->damping) {
        const size_t n = (size_t)count * (size_t)brn_group_hess_size(group);
        for (size_t i = 0; i < n; ++i) {
            hess[i] *= group->beta;
        }
    }
    return BRN_OK;
}

typedef struct pressure_job {
    const brn_system *system;
    const double (*x)[3];
    double t;
} pressure_job;

/* The assembly adds gradients, so the forces go in with their own sign. */
static brn_status pressure_faces(void *arg, int list, int first, int count, double *energy, double *grad,
                                 double *hess, brn_arena *scratch)
{
    (void)scratch;
    const pressure_job *job = arg;
    const brn_system *system = job->system;
    const brn_load *load = &system->model->load[system->pressure_load[list]];
    const brn_cell kind = system->pressure_kind[list];
    const int width = brn_cell_get(kind)->nnode;
    const int dim = system->model->dim;
    const double p = load->pressure * brn_load_factor(load, job->t);
    for (int f = 0; f < count; ++f) {
        double x[BRN_FACE_NODES_MAX][3];
        double force[BRN_FACE_NODES_MAX * 3];
        for (int a = 0; a < width; ++a) {
            memcpy(x[a], job->x[load->face[kind][(first + f) * width + a]], sizeof x[a]);
        }
        double *stiffness = hess != NULL ? &hess[f * (width * (width + 1) / 2) * dim * dim] : NULL;
        brn_face_pressure(kind, (const double(*)[3])x, p, grad != NULL ? &grad[f * width * dim] : force,
                          stiffness);
        if (energy != NULL) {
            energy[f] = 0.0;
        }
    }
    return BRN_OK;
}

/* ---- creation --------------------------------------------------------------------------------------------------------- */

static bool is_damped(const brn_model *model)
{
    for (int i = 0; i < model->ngroup; ++i) {
        if (model->group[i]->alpha != 0.0 || model->group[i]->beta != 0.0) {
            return true;
        }
    }
    return false;
}

/* The end of the run of small groups from `first` on that can be joined. */
static int alike_until(const brn_model *model, int first)
{
    const brn_solid *solid = brn_solid_of_group(model->group[first]);
    int end = first + 1;
    while (end < model->ngroup && solid != NULL && solid->group.nelem > 0 && solid->group.nelem < SMALL) {
        const brn_solid *next = brn_solid_of_group(model->group[end]);
        if (next == NULL || next->group.nelem == 0 || next->group.nelem >= SMALL ||
            !brn_solid_alike(solid, next)) {
            break;
        }
        ++end;
    }
    return end;
}

static brn_status list_parts(brn_system *s)
{
    const brn_model *model = s->model;
    BRN_ALLOC(s->ctx, s->part, model->ngroup + 1);
    BRN_ALLOC(s->ctx, s->joined, model->ngroup + 1);
    s->solids = true;
    for (int first = 0; first < model->ngroup;) {
        const int end = alike_until(model, first);
        s->part[s->npart] = model->group[first];
        s->solids = s->solids && brn_solid_of_group(model->group[first]) != NULL;
        if (end - first > 1) {
            BRN_TRY(brn_solid_join(s->ctx, &model->group[first], end - first, &s->joined[s->njoined]));
            s->part[s->npart] = &s->joined[s->njoined++]->group;
        }
        ++s->npart;
        first = end;
    }
    return BRN_OK;
}

static brn_status list_pressure(brn_system *s)
{
    const brn_model *model = s->model;
    const int most = model->nload * BRN_CELL_COUNT;
    BRN_ALLOC(s->ctx, s->pressure_list, most);
    BRN_ALLOC(s->ctx, s->pressure_load, most);
    BRN_ALLOC(s->ctx, s->pressure_kind, most);
    for (int i = 0; i < model->nload; ++i) {
        for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
            if (model->load[i].nface[kind] > 0) {
                const int n = s->npressure_list++;
                s->pressure_list[n] =
                    (brn_stencils){model->load[i].nface[kind], brn_cell_get((brn_cell)kind)->nnode,
                                   model->load[i].face[kind]};
                s->pressure_load[n] = i;
                s->pressure_kind[n] = (brn_cell)kind;
            }
        }
    }
    return BRN_OK;
}

/* Attached nodes widen the pattern: their neighbours meet their masters. */
static brn_status create_matrix(brn_system *s, const brn_stencils *parts)
{
    const brn_model *model = s->model;
    BRN_TRY(brn_block_matrix_create(s->ctx, model->nrow, model->dim, parts, s->npart, &s->matrix));
    if (model->ties.inner == 0) {
        return BRN_OK;
    }
    brn_block_matrix *joined = NULL;
    BRN_TRY(brn_condense_create(model, s->matrix, &joined, &s->condense));
    brn_block_matrix_destroy(s->matrix);
    s->matrix = joined;
    return BRN_OK;
}

/* lists: of the parts, then of the pressures, in rows. */
static brn_status create_matrices(brn_system *s, const brn_stencils *lists)
{
    const brn_model *model = s->model;
    const int nrow = model->nrow, dim = model->dim;
    /* The faces of a body are inside its elements' stencils, so pressure and mass need no blocks of their own. */
    BRN_TRY(create_matrix(s, lists));
    BRN_TRY(brn_assembly_create(s->ctx, nrow, dim, lists, s->npart, s->matrix, &s->elastic));
    if (s->npressure_list > 0) {
        BRN_TRY(brn_assembly_create(s->ctx, nrow, dim, &lists[s->npart], s->npressure_list, s->matrix,
                                    &s->pressure));
    }
    if (is_damped(model)) {
        BRN_TRY(brn_block_matrix_copy(s->matrix, &s->damping));
    }
    const brn_block_matrix *mass = model->mass;
    BRN_ALLOC(s->ctx, s->mass_block, mass->start[mass->n]);
    for (int row = 0; row < mass->n; ++row) {
        for (int k = mass->start[row]; k < mass->start[row + 1]; ++k) {
            s->mass_block[k] = brn_block_matrix_find(s->matrix, row, mass->column[k]);
        }
    }
    return BRN_OK;
}

/* Diagonal of the box of all bodies that can move, or of all bodies if none can: the size of a wide floor does not matter. */
static void measure_size(brn_system *s)
{
    const brn_model *model = s->model;
    bool moving = false;
    for (int b = 0; b < model->nbody; ++b) {
        moving = moving || model->body[b].type != BRN_BODY_STATIC;
    }
    double lo[3] = {INFINITY, INFINITY, INFINITY};
    double hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        if (moving && body->type == BRN_BODY_STATIC) {
            continue;
        }
        for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
            for (int i = 0; i < 3; ++i) {
                lo[i] = fmin(lo[i], model->rest[a][i]);
                hi[i] = fmax(hi[i], model->rest[a][i]);
            }
        }
    }
    s->size = sqrt((hi[0] - lo[0]) * (hi[0] - lo[0]) + (hi[1] - lo[1]) * (hi[1] - lo[1]) +
                   (hi[2] - lo[2]) * (hi[2] - lo[2]));
}

brn_status brn_system_measure_stiffness(brn_system *s)
{
    const int dim = s->model->dim;
    brn_block_matrix_zero(s->matrix);
    BRN_TRY(brn_system_elastic(s, &s->model->rest[0][0], BRN_TANGENT_PROJECTED, NULL, NULL, s->matrix));
    brn_system_condense(s, s->matrix);
    for (int row = 0; row < s->model->nrow; ++row) {
        const double *block = &s->matrix->value[(size_t)s->matrix->start[row] * (size_t)(dim * dim)];
        for (int i = 0; i < dim; ++i) {
            s->stiff_diagonal[row * dim + i] = block[i * dim + i];
        }
    }
    return BRN_OK;
}

static brn_status fill(brn_system *s)
{
    const brn_model *model = s->model;
    BRN_TRY(brn_controls_create(s->ctx, model, &s->controls));
    BRN_TRY(list_pressure(s));
    BRN_ALLOC(s->ctx, s->work, s->ndof);
    BRN_ALLOC(s->ctx, s->seen, s->ndof);
    s->seen_energy = NAN;
    BRN_ALLOC(s->ctx, s->stiff_diagonal, s->ndof);
    BRN_ALLOC(s->ctx, s->damping_diagonal, s->ndof);
    brn_stencils *lists = NULL;
    int *memory = NULL;
    BRN_TRY(list_parts(s));
    const int count = s->npart + s->npressure_list;
    BRN_ALLOC(s->ctx, lists, count);
    for (int i = 0; i < count; ++i) {
        lists[i] = i < s->npart ? brn_group_stencils(s->part[i]) : s->pressure_list[i - s->npart];
    }
    brn_status status = brn_model_row_stencils(model, lists, count, lists, &memory);
    if (status >= 0) {
        status = create_matrices(s, lists);
    }
    brn_free(s->ctx, memory);
    brn_free(s->ctx, lists);
    BRN_TRY(status);
    measure_size(s);
    return brn_system_measure_stiffness(s);
}

brn_status brn_system_create(brn_ctx *ctx, const brn_model *model, brn_system **out)
{
    *out = NULL;
    brn_system *s = NULL;
    BRN_ALLOC(ctx, s, 1);
    s->ctx = ctx;
    s->model = model;
    s->ndof = model->nrow * model->dim;
    s->budget = INFINITY;
    const brn_status status = fill(s);
    if (status < 0) {
        brn_system_destroy(s);
        return status;
    }
    *out = s;
    return BRN_OK;
}

void brn_system_destroy(brn_system *s)
{
    if (s == NULL) {
        return;
    }
    for (int i = 0; i < 3; ++i) {
        brn_factor_destroy(s->mass_factor[i]);
    }
    for (int i = 0; i < s->njoined; ++i) {
        brn_solid_destroy(s->joined[i]);
    }
    brn_free(s->ctx, s->joined);
    brn_free(s->ctx, s->part);
    brn_controls_destroy(s->controls);
    brn_assembly_destroy(s->elastic);
    brn_assembly_destroy(s->pressure);
    brn_block_matrix_destroy(s->matrix);
    brn_block_matrix_destroy(s->damping);
    brn_block_matrix_destroy(s->mass);
    brn_condense_destroy(s->condense);
    brn_free(s->ctx, s->stiff_diagonal);
    brn_free(s->ctx, s->damping_diagonal);
    brn_free(s->ctx, s->firm);
    brn_free(s->ctx, s->mass_block);
    brn_free(s->ctx, s->pressure_list);
    brn_free(s->ctx, s->pressure_load);
    brn_free(s->ctx, s->pressure_kind);
    brn_free(s->ctx, s->work);
    brn_free(s->ctx, s->seen);
    brn_free(s->ctx, s);
}

/* ---- operators --------------------------------------------------------------------------------------------------------- */

void brn_system_pack(const brn_system *s, const double *from, double *packed)
{
    for (int dof = 0; dof < s->ndof; ++dof) {
        packed[dof] = from[brn_model_at(s->model, dof)];
    }
}

void brn_system_unpack(const brn_system *s, const double *packed, double *to)
{
    for (int dof = 0; dof < s->ndof; ++dof) {
        to[brn_model_at(s->model, dof)] = packed[dof];
    }
}

void brn_system_condense(const brn_system *s, brn_block_matrix *matrix)
{
    if (s->condense != NULL) {
        brn_condense_apply(s->condense, matrix);
    }
}

/* Whether the energy at x is known, bit by bit the same x. */
static bool is_seen(const brn_system *s, const double *x)
{
    const int dim = s->model->dim;
    bool same = !isnan(s->seen_energy);
    for (int row = 0; row < s->model->nrow && same; ++row) {
        same = memcmp(&s->seen[row * dim], &x[3 * s->model->row_node[row]], (size_t)dim * sizeof *x) == 0;
    }
    return same;
}

brn_status brn_system_elastic(brn_system *s, const double *x, brn_tangent tangent, double *energy,
                              double *grad, brn_block_matrix *matrix)
{
    elastic_job job = {s, (const double(*)[3])x, tangent, false};
    const bool alone = energy == NULL && grad != NULL && matrix == NULL && s->solids;
    if (energy != NULL && grad == NULL && matrix == NULL && is_seen(s, x)) {
        *energy += s->seen_energy;
        return BRN_OK;
    }
    double here = 0.0;
    if (alone) { /* a solid's energy comes with its gradient */
        brn_system_pack(s, x, s->seen);
        s->seen_energy = NAN;
    }
    BRN_TRY(brn_assembly_add(s->elastic, elastic_elements, &job, alone ? &here : energy, grad, matrix));
    s->seen_energy = alone ? here : s->seen_energy;
    return BRN_OK;
}

/* ---- parts ---- */

static int part_of(const brn_system *s, const brn_stencils *stencils, int element, const int *part)
{
    const int *node = &stencils->node[(size_t)element * (size_t)stencils->width];
    int k = 0;
    while (k + 1 < stencils->width && s->model->node_row[node[k]] < 0) {
        ++k;
    }
    return part[s->model->node_row[node[k]]];
}

int brn_system_elastic_part(const brn_system *s, const int *part)
{
    int only = -1;
    bool any = false;
    for (int list = 0; list < s->npart; ++list) {
        const brn_stencils stencils = brn_group_stencils(s->part[list]);
        for (int e = 0; e < stencils.count; ++e) {
            const int here = part_of(s, &stencils, e, part);
            only = any && here != only ? -1 : here;
            any = true;
            if (only < 0) {
                return -1;
            }
        }
    }
    return only;
}

enum { ELEMENTS_TOGETHER = 64 };

typedef struct energy_job {
    elastic_job elastic;
    int list, count;
    double *energy; /* [count] */
} energy_job;

static brn_status element_energies(void *arg, int block, brn_arena *scratch)
{
    const energy_job *job = arg;
    const int first = block * ELEMENTS_TOGETHER;
    const int end = brn_block_end(job->count, ELEMENTS_TOGETHER, block);
    return elastic_elements((void *)&job->elastic, job->list, first, end - first, &job->energy[first], NULL,
                            NULL, scratch);
}

/* Sums of a few, and then of these: rounding stays small without more. */
static void add_energies(const brn_system *s, const energy_job *job, const brn_stencils *stencils,
                         const int *part, double *energy)
{
    double sum = 0.0;
    int of = 0;
    for (int e = 0; e < job->count; ++e) {
        const int here = part_of(s, stencils, e, part);
        if (e > 0 && (here != of || e % ELEMENTS_TOGETHER == 0)) {
            energy[of] += sum;
            sum = 0.0;
        }
        of = here;
        sum += job->energy[e];
    }
    energy[of] += sum;
}

brn_status brn_system_elastic_parts(brn_system *s, const double *x, const int *part, double *energy)
{
    brn_arena *arena = brn_ctx_arena(s->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    for (int list = 0; list < s->npart; ++list) {
        const brn_stencils stencils = brn_group_stencils(s->part[list]);
        energy_job job = {{s, (const double(*)[3])x, BRN_TANGENT_EXACT, false}, list, stencils.count, NULL};
        if (stencils.count == 0) {
            continue;
        }
        BRN_TAKE(arena, job.energy, stencils.count);
        BRN_TRY(brn_parallel_for(s->ctx, brn_block_count(stencils.count, ELEMENTS_TOGETHER), element_energies,
                                 &job));
        add_energies(s, &job, &stencils, part, energy);
        brn_arena_rewind(arena, mark);
    }
    return BRN_OK;
}

brn_status brn_system_loads(brn_system *s, const double *x, double t, double *force, brn_block_matrix *matrix)
{
    for (int n = 0; n < s->model->nload; ++n) {
        const brn_load *load = &s->model->load[n];
        const double factor = brn_load_factor(load, t);
        for (int a = 0; a < load->nnode; ++a) {
            brn_model_add_force(s->model, load->node[a], factor, &load->force[3 * a], force);
        }
    }
    if (s->pressure == NULL) {
        return BRN_OK;
    }
    pressure_job job = {s, (const double(*)[3])x, t};
    return brn_assembly_add(s->pressure, pressure_faces, &job, NULL, force, matrix);
}

void brn_system_drag(const brn_system *s, const double *pos, const double *vel, double *force)
{
    static const double still[3] = {0.0, 0.0, 0.0};
    const brn_drag *drag = &s->controls->drag;
    if (drag->node < 0) {
        return;
    }
    double point[3];
    brn_pull pull;
    brn_drag_point(drag, &pos[3 * drag->node], point);
    brn_drag_pull(drag, point, &pos[3 * drag->node], vel != NULL ? &vel[3 * drag->node] : still, 0.0, &pull);
    brn_drag_add_force(drag, s->model, pull.force, 1.0, force);
}

enum { MASS_ROWS = 1024, MASS_BLOCKS = 8192 }; /* of a parallel piece */

typedef struct mass_product {
    const brn_system *system;
    const double *v;
    double *out;
} mass_product;

/* Rows of M v: what is stored of lower rows first, as a walk over the rows would add them. */
static inline void multiply_rows(const mass_product *w, int first, int end, const int dim)
{
    const brn_block_matrix *mass = w->system->model->mass;
    for (int row = first; row < end; ++row) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (int l = mass->lower_start[row]; l < mass->lower_start[row + 1]; ++l) {
            for (int i = 0; i < dim; ++i) {
                sum[i] += mass->value[mass->lower_block[l]] * w->v[mass->lower_row[l] * dim + i];
            }
        }
        for (int k = mass->start[row]; k < mass->start[row + 1]; ++k) {
            for (int i = 0; i < dim; ++i) {
                sum[i] += mass->value[k] * w->v[mass->column[k] * dim + i];
            }
        }
        for (int i = 0; i < dim; ++i) {
            w->out[row * dim + i] = sum[i];
        }
    }
}

/* One copy of the loops for each dimension, so that the compiler unrolls them. */
static brn_status mass_rows(void *arg, int piece, brn_arena *scratch)
{
    (void)scratch;
    const mass_product *w = arg;
    const int end = brn_block_end(w->system->model->mass->n, MASS_ROWS, piece);
    if (w->system->model->dim == 3) {
        multiply_rows(w, piece * MASS_ROWS, end, 3);
    } else {
        multiply_rows(w, piece * MASS_ROWS, end, 2);
    }
    return BRN_OK;
}

brn_status brn_system_mass_apply(const brn_system *s, const double *v, double *out)
{
    mass_product w = {s, v, out};
    return brn_parallel_for(s->ctx, brn_block_count(s->model->mass->n, MASS_ROWS), mass_rows, &w);
}

typedef struct mass_sum {
    const brn_system *system;
    double scale;
    brn_block_matrix *matrix;
} mass_sum;

static brn_status mass_blocks(void *arg, int piece, brn_arena *scratch)
{
    (void)scratch;
    const mass_sum *w = arg;
    const brn_block_matrix *mass = w->system->model->mass;
    const int dim = w->system->model->dim;
    for (int k = piece * MASS_BLOCKS; k < brn_block_end(mass->start[mass->n], MASS_BLOCKS, piece); ++k) {
        double *block = &w->matrix->value[(size_t)w->system->mass_block[k] * (size_t)(dim * dim)];
        for (int i = 0; i < dim; ++i) {
            block[i * dim + i] += w->scale * mass->value[k];
        }
    }
    return BRN_OK;
}

void brn_system_mass_add(const brn_system *s, double scale, brn_block_matrix *matrix)
{
    mass_sum w = {s, scale, matrix};
    const int count = s->model->mass->start[s->model->mass->n];
    (void)brn_parallel_for(s->ctx, brn_block_count(count, MASS_BLOCKS), mass_blocks, &w);
}

void brn_system_mass_add_parts(const brn_system *s, const double *scale, const int *part,
                               brn_block_matrix *matrix)
{
    const brn_block_matrix *mass = s->model->mass;
    const int dim = s->model->dim;
    for (int row = 0; row < mass->n; ++row) {
        for (int k = mass->start[row]; k < mass->start[row + 1]; ++k) {
            double *block = &matrix->value[(size_t)s->mass_block[k] * (size_t)(dim * dim)];
            for (int i = 0; i < dim; ++i) {
                block[i * dim + i] += scale[part[row]] * mass->value[k];
            }
        }
    }
}

/* What the masters see of the mass, T' M T; the model's own where no node with mass is tied. */
static brn_status reduced_mass(brn_system *s, const brn_block_matrix **out)
{
    *out = s->model->mass;
    if (s->model->ties.inner > 0 && s->mass == NULL) {
        brn_condense *condense = NULL;
        BRN_TRY(brn_condense_create(s->model, s->model->mass, &s->mass, &condense));
        brn_condense_apply(condense, s->mass);
        brn_condense_destroy(condense);
    }
    *out = s->mass != NULL ? s->mass : s->model->mass;
    return BRN_OK;
}

int brn_system_mass_axis(const brn_system *s, int axis)
{
    const int dim = s->model->dim;
    int first = axis;
    for (int a = axis - 1; a >= 0; --a) {
        bool same = true;
        for (const unsigned char *held = s->model->fixed; same && held < s->model->fixed + s->ndof;
             held += dim) {
            same = (held[a] == BRN_DOF_FREE) == (held[axis] == BRN_DOF_FREE);
        }
        first = same ? a : first;
    }
    return first;
}

/* The mass along an axis as scalar factor: axes may be held at different nodes, and share one where they are not. */
static brn_status mass_factor(brn_system *s, int axis, brn_factor **out)
{
    brn_factor **factor = &s->mass_factor[brn_system_mass_axis(s, axis)];
    *out = *factor;
    if (*factor != NULL) {
        return BRN_OK;
    }
    const brn_block_matrix *mass = NULL;
    unsigned char *fixed = NULL;
    BRN_TRY(reduced_mass(s, &mass));
    BRN_ALLOC(s->ctx, fixed, s->model->nrow);
    for (int row = 0; row < s->model->nrow; ++row) {
        fixed[row] = s->model->fixed[row * s->model->dim + axis];
    }
    brn_status status = brn_factor_create(s->ctx, mass, fixed, factor);
    if (status >= 0) {
        status = brn_factor_numeric(*factor, mass, fixed);
    }
    brn_free(s->ctx, fixed);
    if (status < 0) {
        brn_factor_destroy(*factor);
        *factor = NULL;
    }
    *out = *factor;
    return status;
}

/* rhs = force - M a on the masters, a given at held dofs and 0 elsewhere. */
static brn_status mass_rhs(brn_system *s, const double *force, double *a, double *rhs)
{
    for (int n = 0; n < s->ndof; ++n) {
        a[n] = s->model->fixed[n] == BRN_DOF_HELD ? a[n] : 0.0;
    }
    brn_model_follow(s->model, a);
    BRN_TRY(brn_system_mass_apply(s, a, rhs));
    for (int n = 0; n < s->ndof; ++n) {
        rhs[n] = force[n] - rhs[n];
    }
    brn_model_lead(s->model, rhs);
    return BRN_OK;
}

void brn_system_hold(brn_system *s)
{
    for (int axis = 0; axis < 3; ++axis) {
        brn_factor_destroy(s->mass_factor[axis]);
        s->mass_factor[axis] = NULL;
    }
}

brn_status brn_system_mass_solve(brn_system *s, const double *force, double *a)
{
    const brn_model *model = s->model;
    const int dim = model->dim;
    if (model->mass_diagonal && model->ties.inner == 0) {
        for (int n = 0; n < s->ndof; ++n) {
            a[n] = model->fixed[n] ? a[n] : force[n] / model->mass->value[model->mass->start[n / dim]];
        }
        return BRN_OK;
    }
    /* M_ff a_f = f_f - M_fh a_h */
    double *rhs = s->work;
    BRN_TRY(mass_rhs(s, force, a, rhs));
    double *column = NULL;
    BRN_ALLOC(s->ctx, column, model->nrow);
    brn_status status = BRN_OK;
    for (int i = 0; i < dim && status >= 0; ++i) {
        for (int n = 0; n < model->nrow; ++n) {
            const int dof = n * dim + i;
            column[n] = model->fixed[dof] ? a[dof] : rhs[dof];
        }
        brn_factor *factor = NULL;
        status = mass_factor(s, i, &factor);
        if (status >= 0) {
            status = brn_factor_solve(factor, column, column);
        }
        for (int n = 0; n < model->nrow && status >= 0; ++n) {
            a[n * dim + i] = column[n];
        }
    }
    brn_free(s->ctx, column);
    brn_model_follow(model, a);
    return status;
}

brn_status brn_system_mass_compliance(brn_system *s, int axis, const brn_columns *columns, double *w)
{
    brn_factor *factor = NULL;
    BRN_TRY(mass_factor(s, axis, &factor));
    return brn_factor_compliance(factor, columns, w);
}

brn_status brn_system_damping_update(brn_system *s, const double *x)
{
    if (s->damping == NULL) {
        return BRN_OK;
    }
    const brn_model *model = s->model;
    const int dim = model->dim;
    elastic_job job = {s, (const double(*)[3])x, BRN_TANGENT_VISCOUS, true};
    brn_block_matrix_zero(s->damping);
    BRN_TRY(brn_assembly_add(s->elastic, elastic_elements, &job, NULL, NULL, s->damping));
    /* alpha M, element by element */
    for (int k = 0; model->mass_alpha != NULL && k < model->mass->start[model->nrow]; ++k) {
        double *block = &s->damping->value[(size_t)s->mass_block[k] * (size_t)(dim * dim)];
        for (int i = 0; i < dim; ++i) {
            block[i * dim + i] += model->mass_alpha[k];
        }
    }
    for (int dof = 0; dof < s->ndof; ++dof) {
        const size_t block = (size_t)s->damping->start[dof / dim] * (size_t)(dim * dim);
        s->damping_diagonal[dof] = s->damping->value[block + (size_t)(dof % dim * (dim + 1))];
    }
    return BRN_OK;
}
