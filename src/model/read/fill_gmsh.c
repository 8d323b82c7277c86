#include "model/read/fill_gmsh.h"

#ifndef BRN_WITH_GMSH

brn_status brn_gmsh_fill(const brn_closed_surface *surface, double resolution, bool anew, brn_mesh **out)
{
    (void)resolution;
    (void)anew;
    *out = NULL;
    return brn_fail(
        surface->ctx, BRN_ERR_MISSING,
        "filling a surface with tets needs gmsh, which this brunt was built without: install the Debian "
        "package libgmsh-dev and build again");
}

#else

# include "model/read/draft.h"

# include <gmshc.h>
# include <limits.h>
# include <locale.h>
# include <math.h>
# include <string.h>

/* What one solid hands to gmsh. */
typedef struct job {
    const brn_closed_surface *surface;
    int solid;
    double resolution;
    double insertions; /* cap of the points that gmsh tries to insert */
    bool anew;
    size_t nnode, ntri;
    int *local;      /* node of the surface -> gmsh's tag, 0 if not of this solid */
    size_t *tag;     /* [nnode] */
    double *coord;   /* [nnode][3] */
    size_t *corner;  /* [ntri][3] */
    size_t *tri_tag; /* [ntri] */
} job;

static void clear_job(brn_ctx *ctx, job *j)
{
    brn_free(ctx, j->local);
    brn_free(ctx, j->tag);
    brn_free(ctx, j->coord);
    brn_free(ctx, j->corner);
    brn_free(ctx, j->tri_tag);
}

/* Numbers the nodes and triangles of the solid from 1. */
static brn_status fill_job(brn_ctx *ctx, job *j)
{
    const brn_closed_surface *s = j->surface;
    BRN_ALLOC(ctx, j->local, s->nnode);
    BRN_ALLOC(ctx, j->tag, s->nnode);
    BRN_ALLOC(ctx, j->coord, 3 * (size_t)s->nnode);
    BRN_ALLOC(ctx, j->corner, 3 * (size_t)s->ntri);
    BRN_ALLOC(ctx, j->tri_tag, s->ntri);
    for (int t = 0; t < s->ntri; ++t) {
        if (s->solid[t] != j->solid) {
            continue;
        }
        for (int i = 0; i < 3; ++i) {
            const int node = s->tri[t][i];
            if (j->local[node] == 0) {
                memcpy(j->coord + 3 * j->nnode, s->pos[node], sizeof s->pos[node]);
                j->tag[j->nnode] = j->nnode + 1;
                j->local[node] = (int)++j->nnode;
            }
            j->corner[3 * j->ntri + (size_t)i] = (size_t)j->local[node];
        }
        j->tri_tag[j->ntri] = j->ntri + 1;
        ++j->ntri;
    }
    return BRN_OK;
}

static brn_status gmsh_failed(brn_ctx *ctx, const char *what)
{
    char *text = NULL;
    int error = 0;
    gmshLoggerGetLastError(&text, &error);
    const bool said = error == 0 && text != NULL && text[0] != '\0';
    const brn_status status = brn_fail(ctx, BRN_ERR_MESH, "surface: gmsh could not %s%s%s", what,
                                       said ? ": " : "", said ? text : "");
    if (text != NULL) {
        gmshFree(text);
    }
    return status;
}

static int set_options(const job *j)
{
    const struct {
        const char *name;
        double value;
    } options[] = {
        {"General.Terminal", 0.0},
        {"General.AbortOnError", 2.0}, /* throw, which the C interface turns into an error number */
        {"General.NumThreads", 1.0},   /* the same mesh on every machine */
        {"Mesh.MeshSizeMax", j->resolution},
        {"Mesh.MeshSizeMin", j->resolution},
        /* The size inside does not follow slivers of the surface, which can keep gmsh busy for ever. */
        {"Mesh.MeshSizeExtendFromBoundary", j->anew ? 1.0 : 0.0},
        {"Mesh.MeshSizeFromPoints", 0.0},
        {"Mesh.Algorithm3D", 1.0},
        {"Mesh.MaxIterDelaunay3D", j->insertions},
        {"Mesh.Optimize", 1.0}};
    for (size_t i = 0; i < sizeof options / sizeof *options; ++i) {
        int error = 0;
        gmshOptionSetNumber(options[i].name, options[i].value, &error);
        if (error != 0) {
            return error;
        }
    }
    return 0;
}

/* The triangles as a discrete surface of gmsh; with anew, cut at edges sharper than 40 degrees into pieces that have a
   parametrisation. */
static brn_status make_surface(brn_ctx *ctx, const job *j)
{
    int error = 0;
    (void)gmshModelAddDiscreteEntity(2, 1, NULL, 0, &error);
    if (error == 0) {
        gmshModelMeshAddNodes(2, 1, j->tag, j->nnode, j->coord, 3 * j->nnode, NULL, 0, &error);
    }
    if (error == 0) {
        gmshModelMeshAddElementsByType(1, 2, j->tri_tag, j->ntri, j->corner, 3 * j->ntri, &error);
    }
    if (error != 0) {
        return gmsh_failed(ctx, "take the surface");
    }
    if (j->anew) {
        gmshModelMeshClassifySurfaces(40.0 * M_PI / 180.0, 1, 1, M_PI, 1, &error);
        if (error == 0) {
            gmshModelMeshCreateGeometry(NULL, 0, &error);
        }
        if (error != 0) {
            return gmsh_failed(ctx, "parametrise the surface");
        }
    }
    return BRN_OK;
}

/* One volume inside all faces (cavities included: gmsh only wants the list), meshed. */
static brn_status make_volume(brn_ctx *ctx)
{
    int error = 0;
    int *entities = NULL; /* (dim, tag) pairs */
    size_t count = 0;
    gmshModelGetEntities(&entities, &count, 2, &error);
    if (error != 0 || count < 2) {
        gmshFree(entities);
        return gmsh_failed(ctx, "list the faces");
    }
    for (size_t i = 0; i < count / 2; ++i) {
        entities[i] = entities[2 * i + 1];
    }
    int loop = gmshModelGeoAddSurfaceLoop(entities, count / 2, -1, &error);
    gmshFree(entities);
    if (error == 0) {
        (void)gmshModelGeoAddVolume(&loop, 1, -1, &error);
    }
    if (error == 0) {
        gmshModelGeoSynchronize(&error);
    }
    if (error == 0) {
        gmshModelMeshGenerate(3, &error);
    }
    return error == 0 ? BRN_OK : gmsh_failed(ctx, "fill the surface with tets");
}

/* Adds gmsh's nodes and tets to the draft; numbers continue after those of earlier solids. */
static brn_status take_cells(brn_draft *draft, const brn_scan *scan, const size_t *tag, size_t ntag,
                             const double *coord, const size_t *node, size_t nnode)
{
    brn_idmap numbers = {0};
    brn_status status = BRN_OK;
    for (size_t i = 0; i < ntag && status >= 0; ++i) {
        const int index = draft->nnode;
        int found = 0;
        status = brn_draft_add_node(draft, scan, index, coord + 3 * i);
        if (status >= 0) {
            status = brn_idmap_put(draft->ctx, &numbers, (int64_t)tag[i], index, &found);
        }
    }
    for (size_t i = 0; i + 3 < nnode && status >= 0; i += 4) {
        int cell[4];
        for (size_t k = 0; k < 4; ++k) {
            cell[k] = brn_idmap_find(&numbers, (int64_t)node[i + k]);
        }
        const bool known = cell[0] >= 0 && cell[1] >= 0 && cell[2] >= 0 && cell[3] >= 0;
        status = known ? brn_draft_add_cell(draft, BRN_TET4, cell)
                       : brn_fail(draft->ctx, BRN_ERR_MESH, "surface: gmsh's tets name unknown nodes");
    }
    brn_idmap_clear(draft->ctx, &numbers);
    return status;
}

static brn_status collect(brn_draft *draft, const brn_scan *scan)
{
    size_t *tag = NULL;
    double *coord = NULL;
    double *parametric = NULL;
    size_t *cell = NULL;
    size_t *node = NULL;
    size_t ntag = 0;
    size_t ncoord = 0;
    size_t nparametric = 0;
    size_t ncell = 0;
    size_t nnode = 0;
    int error = 0;
    int second_error = 0;
    gmshModelMeshGetNodes(&tag, &ntag, &coord, &ncoord, &parametric, &nparametric, -1, -1, 0, 0, &error);
    gmshModelMeshGetElementsByType(4, &cell, &ncell, &node, &nnode, -1, 0, 1, &second_error);
    brn_status status = BRN_OK;
    if (error != 0 || second_error != 0 || ncoord != 3 * ntag || nnode != 4 * ncell || ncell == 0) {
        status = gmsh_failed(draft->ctx, "fill the surface: it made no tets");
    } else {
        status = take_cells(draft, scan, tag, ntag, coord, node, nnode);
    }
    void *const blocks[] = {tag, coord, parametric, cell, node};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i) {
        gmshFree(blocks[i]);
    }
    return status;
}

static brn_status fill_solid(const brn_closed_surface *surface, int solid, double resolution, bool anew,
                             brn_draft *draft, const brn_scan *scan)
{
    brn_ctx *ctx = surface->ctx;
    /* Tets of this size have about 1.5 nodes a cube of the resolution: a dozen tries for each, and then the mesh stays
       coarser around slivers that no point improves. */
    const double insertions = 1e4 + 20.0 * surface->volume / (resolution * resolution * resolution);
    job j = {.surface = surface,
             .solid = solid,
             .resolution = resolution,
             .insertions = insertions < 1e9 ? insertions : 1e9,
             .anew = anew};
    brn_status status = fill_job(ctx, &j);
    int error = 0;
    if (status >= 0) {
        gmshInitialize(0, NULL, 0, &error);
        status = error == 0 ? BRN_OK : brn_fail(ctx, BRN_ERR_MESH, "surface: gmsh could not start");
        if (status >= 0) {
            gmshModelAdd("brunt", &error);
            status =
                error == 0 && set_options(&j) == 0 ? make_surface(ctx, &j) : gmsh_failed(ctx, "be set up");
        }
        if (status >= 0) {
            status = make_volume(ctx);
        }
        if (status >= 0) {
            status = collect(draft, scan);
        }
        gmshFinalize(&error);
    }
    clear_job(ctx, &j);
    return status;
}

/* The tets fill the surface: their volume is the enclosed one, to rounding if the triangles were kept, and except for the
   chords of curved parts if it was remeshed. */
static brn_status check_volume(const brn_closed_surface *surface, bool anew, const brn_mesh *mesh)
{
    double volume = 0.0;
    for (int i = 0; i < mesh->ncell[BRN_TET4]; ++i) {
        const int *n = mesh->cell[BRN_TET4] + 4 * (size_t)i;
        double e[3][3];
        for (int a = 0; a < 3; ++a) {
            for (int k = 0; k < 3; ++k) {
                e[a][k] = mesh->pos[n[a + 1]][k] - mesh->pos[n[0]][k];
            }
        }
        volume += (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                   e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                   e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
                  6.0;
    }
    const double ratio = volume / surface->volume;
    const double slack = anew ? 0.25 : 1e-6;
    if (!(fabs(ratio - 1.0) <= slack)) {
        return brn_fail(
            surface->ctx, BRN_ERR_MESH,
            "surface: gmsh's tets have %.9g of the enclosed volume: does the surface cross itself?", ratio);
    }
    return BRN_OK;
}

brn_status brn_gmsh_fill(const brn_closed_surface *surface, double resolution, bool anew, brn_mesh **out)
{
    *out = NULL;
    brn_ctx *ctx = surface->ctx;
    /* gmsh sets the user's locale; the host program's is restored. */
    char *locale = brn_strdup(ctx, setlocale(LC_ALL, NULL));
    if (locale == NULL) {
        return BRN_ERR_MEMORY;
    }
    const brn_scan scan = brn_scan_open(ctx, "", 0, "surface");
    brn_draft draft;
    brn_draft_open(&draft, ctx);
    brn_status status = BRN_OK;
    for (int i = 0; i < surface->nsolid && status >= 0; ++i) {
        status = fill_solid(surface, i, resolution, anew, &draft, &scan);
    }
    (void)setlocale(LC_ALL, locale);
    brn_free(ctx, locale);
    brn_mesh *mesh = NULL;
    if (status >= 0) {
        status = brn_draft_finish(&draft, &scan, &mesh);
    }
    brn_draft_clear(&draft);
    if (status >= 0) {
        status = check_volume(surface, anew, mesh);
    }
    if (status < 0) {
        brn_mesh_destroy(mesh);
        return status;
    }
    *out = mesh;
    return BRN_OK;
}

#endif
