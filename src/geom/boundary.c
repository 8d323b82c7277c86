/* The boundary of a mesh. Every face of every cell becomes a tuple of its sorted corners; after sorting, a face that occurs
   once is on the boundary, one that occurs twice is inside, and three or more cannot bound a solid. The output is in the
   order of the cells, not of the sort. */
#include "geom/cell_measure.h"
#include "geom/node_merge.h"
#include "geom/tuple.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef struct face_work {
    const brn_mesh *mesh;
    brn_boundary *boundary;
    int first
        [BRN_CELL_COUNT]; /* number of a kind's first face; faces are counted over all cells of highest dimension */
    int nface;
    brn_tuple *tuple;    /* [nface], id: face number */
    unsigned char *seen; /* [nface] 1 where another cell has the face */
} face_work;

/* Which cell and local face a face number means. */
static void face_nodes(const face_work *work, int id, int *cell, const brn_cell_info **info, int out[8])
{
    int kind = 0;
    for (int k = 0; k < BRN_CELL_COUNT; ++k) {
        kind = work->first[k] >= 0 && work->first[k] <= id ? k : kind;
    }
    *info = brn_cell_get((brn_cell)kind);
    const int at = id - work->first[kind];
    *cell = at / (*info)->nface;
    const int *node = work->mesh->cell[kind] + (size_t)*cell * (size_t)(*info)->nnode;
    const int *local = (*info)->faces[at % (*info)->nface];
    for (int i = 0; i < brn_cell_get((*info)->face)->nnode; ++i) {
        out[i] = node[local[i]];
    }
}

static void sort_small(int *v, int n)
{
    for (int i = 1; i < n; ++i) {
        const int item = v[i];
        int j = i;
        for (; j > 0 && v[j - 1] > item; --j) {
            v[j] = v[j - 1];
        }
        v[j] = item;
    }
}

static brn_status count_faces(face_work *work)
{
    const brn_mesh *mesh = work->mesh;
    const int dim = brn_mesh_dim(mesh);
    long long total = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const brn_cell_info *info = brn_cell_get((brn_cell)kind);
        const bool part = info->dim == dim && info->nface > 0 && mesh->ncell[kind] > 0;
        work->first[kind] = part ? (int)total : -1;
        total += part ? (long long)mesh->ncell[kind] * info->nface : 0;
        if (total > INT_MAX) {
            return brn_fail(mesh->ctx, BRN_ERR_LIMIT, "more than %d cell faces", INT_MAX);
        }
    }
    work->nface = (int)total;
    return BRN_OK;
}

static brn_status list_faces(face_work *work)
{
    const brn_mesh *mesh = work->mesh;
    BRN_ALLOC(mesh->ctx, work->tuple, work->nface);
    BRN_ALLOC(mesh->ctx, work->seen, work->nface);
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const brn_cell_info *info = brn_cell_get((brn_cell)kind);
        if (work->first[kind] < 0) {
            continue;
        }
        const int ncorner = brn_cell_get(info->face)->ncorner;
        brn_tuple *tuple = work->tuple + work->first[kind];
        for (int c = 0; c < mesh->ncell[kind]; ++c) {
            const int *node = mesh->cell[kind] + (size_t)c * (size_t)info->nnode;
            for (int f = 0; f < info->nface; ++f, ++tuple) {
                *tuple = (brn_tuple){{-1, -1, -1, -1}, (int)(tuple - work->tuple)};
                for (int i = 0; i < ncorner; ++i) {
                    tuple->key[i] = node[info->faces[f][i]];
                }
                sort_small(tuple->key, ncorner);
            }
        }
    }
    return brn_tuple_sort(mesh->ctx, work->tuple, work->nface, mesh->nnode);
}

/* Two cells share a face: its mid-edge nodes must be the same, or the mesh has a gap there. */
static brn_status compare_pair(const face_work *work, const brn_tuple *a, const brn_tuple *b)
{
    const brn_cell_info *ia, *ib;
    int ca, cb, na[8], nb[8];
    face_nodes(work, a->id, &ca, &ia, na);
    face_nodes(work, b->id, &cb, &ib, nb);
    const brn_cell_info *face = brn_cell_get(ia->face);
    bool same = ia->face == ib->face;
    if (same && face->nnode > face->ncorner) {
        const int mids = face->nnode - face->ncorner;
        sort_small(na + face->ncorner, mids);
        sort_small(nb + face->ncorner, mids);
        same = memcmp(na + face->ncorner, nb + face->ncorner, (size_t)mids * sizeof *na) == 0;
    }
    if (!same) {
        return brn_fail(work->mesh->ctx, BRN_ERR_MESH,
                        "%s %d and %s %d share the face of nodes %d, %d, ... but not its mid-edge nodes",
                        ia->name, ca, ib->name, cb, a->key[0], a->key[1]);
    }
    return BRN_OK;
}

static brn_status fail_crowded(const face_work *work, const brn_tuple *t, int count)
{
    const brn_cell_info *info;
    int cell[3], nodes[8];
    for (int i = 0; i < 3; ++i) {
        face_nodes(work, t[i].id, &cell[i], &info, nodes);
    }
    char face[64];
    const int *k = t->key;
    int length = snprintf(face, sizeof face, "%d, %d", k[0], k[1]);
    for (int i = 2; i < 4 && k[i] >= 0; ++i) {
        length += snprintf(face + length, sizeof face - (size_t)length, ", %d", k[i]);
    }
    return brn_fail(work->mesh->ctx, BRN_ERR_MESH,
                    "the face of nodes %s is shared by %d cells: %s %d, %d, %d", face, count, info->name,
                    cell[0], cell[1], cell[2]);
}

static brn_status match_faces(face_work *work)
{
    for (int i = 0; i < work->nface;) {
        int end = i + 1;
        while (end < work->nface && brn_tuple_same(&work->tuple[i], &work->tuple[end])) {
            end++;
        }
        if (end - i > 2) {
            return fail_crowded(work, &work->tuple[i], end - i);
        }
        if (end - i == 2) {
            BRN_TRY(compare_pair(work, &work->tuple[i], &work->tuple[i + 1]));
            work->seen[work->tuple[i].id] = work->seen[work->tuple[i + 1].id] = 1;
        }
        i = end;
    }
    return BRN_OK;
}

/* Copies the faces that one cell has alone, in order of cells. */
static brn_status collect_faces(face_work *work)
{
    brn_boundary *b = work->boundary;
    for (int fill = 0; fill < 2; ++fill) {
        int count[BRN_CELL_COUNT] = {0};
        for (int id = 0; id < work->nface; ++id) {
            if (work->seen[id]) {
                continue;
            }
            const brn_cell_info *info;
            int cell, nodes[8];
            face_nodes(work, id, &cell, &info, nodes);
            const size_t width = (size_t)brn_cell_get(info->face)->nnode;
            const size_t at = (size_t)count[info->face]++;
            if (fill) {
                memcpy(b->face[info->face] + at * width, nodes, width * sizeof *nodes);
            }
        }
        for (int kind = 0; !fill && kind < BRN_CELL_COUNT; ++kind) {
            if (count[kind] > 0) {
                BRN_ALLOC(b->ctx, b->face[kind],
                          (size_t)count[kind] * (size_t)brn_cell_get((brn_cell)kind)->nnode);
                b->nface[kind] = count[kind];
            }
        }
    }
    return BRN_OK;
}

/* A surface in space is its own boundary. */
static brn_status copy_cells(const brn_mesh *mesh, int dim, brn_boundary *b)
{
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const brn_cell_info *info = brn_cell_get((brn_cell)kind);
        if (info->dim != dim || mesh->ncell[kind] == 0) {
            continue;
        }
        const size_t n = (size_t)mesh->ncell[kind] * (size_t)info->nnode;
        BRN_ALLOC(b->ctx, b->face[kind], n);
        memcpy(b->face[kind], mesh->cell[kind], n * sizeof(int));
        b->nface[kind] = mesh->ncell[kind];
    }
    return BRN_OK;
}

/* ---- cutting into linear pieces ------------------------------------------------------------------------------------ */

static int cut_quad(const int q[4], int (*out)[3])
{
    int low = 0;
    for (int i = 1; i < 4; ++i) {
        low = q[i] < q[low] ? i : low;
    }
    const int a = q[low], b = q[(low + 1) % 4], c = q[(low + 2) % 4], d = q[(low + 3) % 4];
    memcpy(out[0], (int[3]){a, b, c}, sizeof *out);
    memcpy(out[1], (int[3]){a, c, d}, sizeof *out);
    return 2;
}

/* Triangles of one face; returns how many. */
static int cut_face(brn_cell kind, const int *n, int (*out)[3])
{
    const int corners = brn_cell_get(kind)->ncorner;
    if (kind == BRN_TRI3) {
        memcpy(out[0], n, sizeof *out);
        return 1;
    }
    if (kind == BRN_QUAD4) {
        return cut_quad(n, out);
    }
    /* Each corner with its two mid-edge nodes, then what is left in the middle. */
    const int *mid = n + corners;
    for (int i = 0; i < corners; ++i) {
        memcpy(out[i], (int[3]){n[i], mid[i], mid[(i + corners - 1) % corners]}, sizeof *out);
    }
    if (kind == BRN_TRI6) {
        memcpy(out[3], mid, sizeof *out);
        return 4;
    }
    return 4 + cut_quad(mid, out + 4);
}

static brn_status cut_faces(brn_boundary *b, const int *const *face, const int *nface)
{
    static const int pieces[BRN_CELL_COUNT] = {
        [BRN_TRI3] = 1, [BRN_TRI6] = 4, [BRN_QUAD4] = 2, [BRN_QUAD8] = 6};
    long long total = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        total += (long long)pieces[kind] * nface[kind];
    }
    if (total > INT_MAX / 3) {
        return brn_fail(b->ctx, BRN_ERR_LIMIT, "%lld boundary triangles are too many", total);
    }
    BRN_ALLOC(b->ctx, b->tri, total);
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const size_t width = (size_t)brn_cell_get((brn_cell)kind)->nnode;
        for (int f = 0; pieces[kind] > 0 && f < nface[kind]; ++f) {
            b->ntri += cut_face((brn_cell)kind, face[kind] + (size_t)f * width, b->tri + b->ntri);
        }
    }
    return BRN_OK;
}

/* Unique edges of the triangles. */
static brn_status list_edges(brn_boundary *b, int nnode)
{
    brn_tuple *tuple = NULL;
    const int n = 3 * b->ntri;
    BRN_ALLOC(b->ctx, tuple, n);
    for (int i = 0; i < n; ++i) {
        const int a = b->tri[i / 3][i % 3], c = b->tri[i / 3][(i + 1) % 3];
        tuple[i] = (brn_tuple){{a < c ? a : c, a < c ? c : a, -1, -1}, i};
    }
    brn_status status = brn_tuple_sort(b->ctx, tuple, n, nnode);
    int count = 0;
    for (int i = 0; status >= 0 && i < n; ++i) {
        count += i == 0 || !brn_tuple_same(&tuple[i], &tuple[i - 1]);
    }
    b->edge = status >= 0 ? brn_calloc(b->ctx, (size_t)count, sizeof *b->edge) : NULL;
    if (b->edge == NULL) {
        status = BRN_ERR_MEMORY;
    }
    for (int i = 0; status >= 0 && i < n; ++i) {
        if (i == 0 || !brn_tuple_same(&tuple[i], &tuple[i - 1])) {
            memcpy(b->edge[b->nedge++], tuple[i].key, sizeof *b->edge);
        }
    }
    brn_free(b->ctx, tuple);
    return status;
}

/* Oriented boundary edges of a plane body; a curved one becomes two. */
static brn_status cut_edges(brn_boundary *b)
{
    const long long total = (long long)b->nface[BRN_EDGE2] + 2LL * b->nface[BRN_EDGE3];
    if (total > INT_MAX / 2) {
        return brn_fail(b->ctx, BRN_ERR_LIMIT, "%lld boundary edges are too many", total);
    }
    BRN_ALLOC(b->ctx, b->edge, total);
    for (int f = 0; f < b->nface[BRN_EDGE2]; ++f) {
        memcpy(b->edge[b->nedge++], b->face[BRN_EDGE2] + 2 * (size_t)f, sizeof *b->edge);
    }
    for (int f = 0; f < b->nface[BRN_EDGE3]; ++f) {
        const int *n = b->face[BRN_EDGE3] + 3 * (size_t)f;
        memcpy(b->edge[b->nedge++], (int[2]){n[0], n[2]}, sizeof *b->edge);
        memcpy(b->edge[b->nedge++], (int[2]){n[2], n[1]}, sizeof *b->edge);
    }
    return BRN_OK;
}

static brn_status list_nodes(brn_boundary *b, int nnode)
{
    unsigned char *on = NULL;
    BRN_ALLOC(b->ctx, on, nnode);
    int count = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const size_t n = (size_t)b->nface[kind] * (size_t)brn_cell_get((brn_cell)kind)->nnode;
        for (size_t i = 0; i < n; ++i) {
            count += !on[b->face[kind][i]];
            on[b->face[kind][i]] = 1;
        }
    }
    b->node = brn_calloc(b->ctx, (size_t)count, sizeof *b->node);
    for (int i = 0; b->node != NULL && i < nnode; ++i) {
        if (on[i]) {
            b->node[b->nnode++] = i;
        }
    }
    brn_free(b->ctx, on);
    return b->node != NULL ? BRN_OK : BRN_ERR_MEMORY;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------ */

static brn_status build_solid(const brn_mesh *mesh, brn_boundary *b)
{
    face_work work = {.mesh = mesh, .boundary = b};
    brn_status status = count_faces(&work);
    status = status < 0 ? status : list_faces(&work);
    status = status < 0 ? status : match_faces(&work);
    status = status < 0 ? status : collect_faces(&work);
    brn_free(mesh->ctx, work.tuple);
    brn_free(mesh->ctx, work.seen);
    BRN_TRY(status);
    if (brn_mesh_dim(mesh) == 2) {
        BRN_TRY(cut_faces(b, (const int *const *)mesh->cell, mesh->ncell));
        BRN_TRY(cut_edges(b));
    } else {
        BRN_TRY(cut_faces(b, (const int *const *)b->face, b->nface));
        BRN_TRY(list_edges(b, mesh->nnode));
    }
    return list_nodes(b, mesh->nnode);
}

static brn_status build_surface(const brn_mesh *mesh, brn_boundary *b)
{
    BRN_TRY(copy_cells(mesh, 2, b));
    BRN_TRY(cut_faces(b, (const int *const *)b->face, b->nface));
    BRN_TRY(list_edges(b, mesh->nnode));
    return list_nodes(b, mesh->nnode);
}

static brn_status build_lines(const brn_mesh *mesh, brn_boundary *b)
{
    BRN_TRY(copy_cells(mesh, 1, b));
    BRN_ALLOC(b->ctx, b->tri, 0);
    BRN_TRY(cut_edges(b));
    return list_nodes(b, mesh->nnode);
}

static brn_status create(const brn_mesh *mesh, brn_status (*build)(const brn_mesh *, brn_boundary *),
                         brn_boundary **out)
{
    *out = NULL;
    brn_boundary *b = NULL;
    BRN_ALLOC(mesh->ctx, b, 1);
    b->ctx = mesh->ctx;
    brn_status status = brn_mesh_check_indices(mesh);
    status = status < 0 ? status : build(mesh, b);
    if (status < 0) {
        brn_boundary_destroy(b);
        return status;
    }
    *out = b;
    return BRN_OK;
}

brn_status brn_boundary_create(const brn_mesh *mesh, brn_boundary **out)
{
    const bool surface = brn_mesh_dim(mesh) == 2 && !brn_mesh_is_plane(mesh);
    return create(mesh, surface ? build_surface : build_solid, out);
}

brn_status brn_boundary_of_surface(const brn_mesh *mesh, brn_boundary **out)
{
    return create(mesh, build_surface, out);
}

brn_status brn_boundary_of_lines(const brn_mesh *mesh, brn_boundary **out)
{
    return create(mesh, build_lines, out);
}

void brn_boundary_destroy(brn_boundary *boundary)
{
    if (boundary == NULL) {
        return;
    }
    brn_ctx *ctx = boundary->ctx;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        brn_free(ctx, boundary->face[kind]);
    }
    brn_free(ctx, boundary->tri);
    brn_free(ctx, boundary->edge);
    brn_free(ctx, boundary->node);
    brn_free(ctx, boundary);
}
