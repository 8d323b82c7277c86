#include "model/region.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Positions count as equal within this fraction of the body's size: meshes come with rounded coordinates. */
static const double SLACK = 1e-6;

typedef struct region {
    const brn_model *model;
    const brn_body *body;
    int nnode;                 /* the selectable ones: those of the mesh, not the handles of a rigid body */
    double lo[3], hi[3], size; /* the body's box and its diagonal */
} region;

static void measure(region *r)
{
    for (int i = 0; i < 3; ++i) {
        r->lo[i] = INFINITY;
        r->hi[i] = -INFINITY;
    }
    for (int a = 0; a < r->nnode; ++a) {
        const double *x = r->model->rest[r->body->node_first + a];
        for (int i = 0; i < 3; ++i) {
            r->lo[i] = fmin(r->lo[i], x[i]);
            r->hi[i] = fmax(r->hi[i], x[i]);
        }
    }
    r->size = sqrt(pow(r->hi[0] - r->lo[0], 2) + pow(r->hi[1] - r->lo[1], 2) + pow(r->hi[2] - r->lo[2], 2));
}

static bool in_box(const region *r, const brn_box_def *box, const double x[3])
{
    const double slack = SLACK * r->size;
    bool inside = true;
    for (int i = 0; i < r->model->dim; ++i) {
        inside = inside && x[i] >= box->min[i] - slack && x[i] <= box->max[i] + slack;
    }
    return inside;
}

static double distance(const double a[3], const double b[3])
{
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

static bool on_face(const region *r, int face, const double x[3])
{
    const int axis = (face - 1) / 2; /* "none", "+x", "-x", "+y", ... */
    const double plane = face % 2 == 1 ? r->hi[axis] : r->lo[axis];
    return fabs(x[axis] - plane) <= SLACK * r->size;
}

static int nearest_node(const region *r, const brn_reals *point, double *best_distance)
{
    double p[3] = {0.0, 0.0, 0.0};
    memcpy(p, point->v, (size_t)(point->count < 3 ? point->count : 3) * sizeof(double));
    int best = -1;
    *best_distance = INFINITY;
    for (int a = 0; a < r->nnode; ++a) {
        const double d = distance(r->model->rest[r->body->node_first + a], p);
        if (d < *best_distance) {
            best = a;
            *best_distance = d;
        }
    }
    return best;
}

static int ascending(const void *a, const void *b)
{
    const int x = *(const int *)a;
    const int y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Marks by number inside the body; false if a problem was added. */
static bool mark_listed(brn_scene *scene, const region *r, const brn_where_def *where, unsigned char *marked)
{
    for (int i = 0; i < where->nodes.count; ++i) {
        const int a = where->nodes.v[i];
        if (a < 0 || a >= r->nnode) {
            brn_scene_add_problem(scene, where->block.path, "nodes[%d] = %d: body '%s' has nodes 0 to %d", i,
                                  a, r->body->name, r->nnode - 1);
            return false;
        }
        marked[a] = 1;
    }
    return true;
}

static bool mark_group(brn_scene *scene, const region *r, const brn_mesh *mesh, const brn_where_def *where,
                       unsigned char *marked)
{
    const brn_group *group = brn_mesh_find_group(mesh, where->group);
    if (group == NULL) {
        char names[400] = "";
        for (int i = 0; i < mesh->ngroup && strlen(names) + strlen(mesh->group[i].name) + 3 < sizeof names;
             ++i) {
            strcat(strcat(names, i > 0 ? ", " : ""), mesh->group[i].name);
        }
        brn_scene_add_problem(scene, where->block.path, "the mesh of body '%s' has no group '%s'; it has: %s",
                              r->body->name, where->group, mesh->ngroup > 0 ? names : "none");
        return false;
    }
    for (int i = 0; i < group->nnode; ++i) {
        marked[group->node[i]] = 1;
    }
    return true;
}

static bool mark(brn_scene *scene, const region *r, const brn_mesh *mesh, const brn_where_def *where,
                 unsigned char *marked)
{
    if (where->nodes.count > 0) {
        return mark_listed(scene, r, where, marked);
    }
    if (where->group != NULL) {
        return mark_group(scene, r, mesh, where, marked);
    }
    if (where->nearest.count > 0) {
        if (where->nearest.count != r->model->dim && where->nearest.count != 3) {
            brn_scene_add_problem(scene, where->block.path, "nearest: needs a point of %d numbers",
                                  r->model->dim);
            return false;
        }
        double apart = 0.0;
        marked[nearest_node(r, &where->nearest, &apart)] = 1;
        return true;
    }
    for (int a = 0; a < r->nnode; ++a) {
        const double *x = r->model->rest[r->body->node_first + a];
        marked[a] = where->all || (where->box.block.line != 0 && in_box(r, &where->box, x)) ||
                    (where->face > 0 && on_face(r, where->face, x)) ||
                    (where->sphere.block.line != 0 &&
                     distance(x, where->sphere.centre) <= where->sphere.radius + SLACK * r->size);
    }
    return true;
}

/* Of several bodies the one with the nearest node. */
static int nearest_body(const brn_model *model, int first, int count, const brn_mesh *const *mesh,
                        const brn_reals *point)
{
    int best = first;
    double best_distance = INFINITY;
    for (int i = first; i < first + count; ++i) {
        const region r = {.model = model, .body = &model->body[i], .nnode = mesh[i]->nnode};
        double apart = 0.0;
        (void)nearest_node(&r, point, &apart);
        if (apart < best_distance) {
            best = i;
            best_distance = apart;
        }
    }
    return best;
}

/* Adds the nodes of one body to the list; false if a problem was added. */
static bool select_in(brn_scene *scene, region *r, const brn_mesh *mesh, const brn_where_def *where,
                      unsigned char *marked, int *node, int *nnode)
{
    measure(r);
    memset(marked, 0, (size_t)mesh->nnode);
    if (!mark(scene, r, mesh, where, marked)) {
        *nnode = 0;
        return false;
    }
    for (int a = 0; a < mesh->nnode; ++a) {
        if (marked[a]) {
            node[(*nnode)++] = r->body->node_first + a;
        }
    }
    return true;
}

brn_status brn_region_nodes(brn_scene *scene, const brn_model *model, int first, int count,
                            const brn_mesh *const *mesh, const brn_where_def *where, int **node, int *nnode)
{
    *node = NULL;
    *nnode = 0;
    if (where->nearest.count > 0 && count > 1) {
        first = nearest_body(model, first, count, mesh, &where->nearest);
        count = 1;
    }
    int total = 0;
    int most = 0;
    for (int i = first; i < first + count; ++i) {
        total += mesh[i]->nnode;
        most = mesh[i]->nnode > most ? mesh[i]->nnode : most;
    }
    unsigned char *marked = NULL;
    BRN_ALLOC(model->ctx, marked, most);
    int *list = brn_calloc(model->ctx, (size_t)total, sizeof *list);
    bool good = list != NULL;
    region r = {.model = model};
    for (int i = first; i < first + count && good; ++i) {
        r.body = &model->body[i];
        r.nnode = mesh[i]->nnode;
        good = select_in(scene, &r, mesh[i], where, marked, list, nnode);
    }
    if (good && *nnode == 0) {
        brn_scene_add_problem(scene, where->block.path,
                              "selects no node; body '%s' spans [%g, %g, %g] to [%g, %g, %g]", r.body->name,
                              r.lo[0], r.lo[1], r.lo[2], r.hi[0], r.hi[1], r.hi[2]);
    }
    brn_free(model->ctx, marked);
    *node = list;
    return list != NULL ? BRN_OK : BRN_ERR_MEMORY;
}

static bool contains(const int *node, int nnode, int wanted)
{
    return bsearch(&wanted, node, (size_t)nnode, sizeof *node, ascending) != NULL;
}

brn_status brn_region_faces(const brn_model *model, int first, int count, brn_cell kind, const int *node,
                            int nnode, int **face, int *nface)
{
    const int width = brn_cell_get(kind)->nnode;
    int total = 0;
    for (int i = first; i < first + count; ++i) {
        total += model->body[i].boundary->nface[kind];
    }
    *nface = 0;
    BRN_ALLOC(model->ctx, *face, (size_t)total * (size_t)width);
    for (int i = first; i < first + count; ++i) {
        const brn_boundary *boundary = model->body[i].boundary;
        for (int f = 0; f < boundary->nface[kind]; ++f) {
            const int *from = &boundary->face[kind][f * width];
            bool all = true;
            for (int a = 0; a < width && all; ++a) {
                all = contains(node, nnode, from[a]);
            }
            if (all) {
                memcpy(&(*face)[(size_t)*nface * (size_t)width], from, (size_t)width * sizeof *from);
                ++*nface;
            }
        }
    }
    return BRN_OK;
}
