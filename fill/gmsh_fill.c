#include "gmsh_fill.h"

#include <gmshc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What one solid hands to gmsh. */
typedef struct job {
    size_t nnode, ntri;
    size_t *local;   /* node of the surface -> gmsh's tag, 0 if not of this solid */
    size_t *tag;     /* [nnode] */
    double *coord;   /* [nnode][3] */
    size_t *corner;  /* [ntri][3] */
    size_t *tri_tag; /* [ntri] */
} job;

static void clear_job(job *j)
{
    free(j->local);
    free(j->tag);
    free(j->coord);
    free(j->corner);
    free(j->tri_tag);
}

static bool no_memory(fill_mesh *out)
{
    (void)snprintf(out->text, sizeof out->text, "out of memory");
    return false;
}

/* Numbers the nodes and triangles of the solid from 1. */
static bool fill_job(const fill_surface *s, uint32_t solid, job *j, fill_mesh *out)
{
    const size_t nnode = s->head.nnode;
    const size_t ntri = s->head.ntri;
    j->local = calloc(nnode, sizeof *j->local);
    j->tag = calloc(nnode, sizeof *j->tag);
    j->coord = calloc(3 * nnode, sizeof *j->coord);
    j->corner = calloc(3 * ntri, sizeof *j->corner);
    j->tri_tag = calloc(ntri, sizeof *j->tri_tag);
    if (j->local == NULL || j->tag == NULL || j->coord == NULL || j->corner == NULL || j->tri_tag == NULL) {
        return no_memory(out);
    }
    for (size_t t = 0; t < ntri; ++t) {
        if (s->solid[t] != solid) {
            continue;
        }
        for (size_t i = 0; i < 3; ++i) {
            const size_t node = s->tri[3 * t + i];
            if (j->local[node] == 0) {
                memcpy(j->coord + 3 * j->nnode, s->pos + 3 * node, 3 * sizeof *s->pos);
                j->tag[j->nnode] = j->nnode + 1;
                j->local[node] = ++j->nnode;
            }
            j->corner[3 * j->ntri + i] = j->local[node];
        }
        j->tri_tag[j->ntri] = j->ntri + 1;
        ++j->ntri;
    }
    return true;
}

static bool gmsh_failed(fill_mesh *out, const char *what)
{
    char *text = NULL;
    int error = 0;
    gmshLoggerGetLastError(&text, &error);
    const bool said = error == 0 && text != NULL && text[0] != '\0';
    (void)snprintf(out->text, sizeof out->text, "gmsh could not %s%s%s", what, said ? ": " : "",
                   said ? text : "");
    if (text != NULL) {
        gmshFree(text);
    }
    return false;
}

static int set_options(const brn_fill_request *head)
{
    /* Tets of this size have about 1.5 nodes a cube of the resolution: a dozen tries for each, and then the mesh stays
       coarser around slivers that no point improves. */
    const double size = head->resolution;
    const double insertions = 1e4 + 20.0 * head->volume / (size * size * size);
    const struct {
        const char *name;
        double value;
    } options[] = {
        {"General.Terminal", 0.0},
        {"General.AbortOnError", 2.0}, /* throw, which the C interface turns into an error number */
        {"General.NumThreads", 1.0},   /* the same mesh on every machine */
        {"Mesh.MeshSizeMax", size},
        {"Mesh.MeshSizeMin", size},
        /* The size inside does not follow slivers of the surface, which can keep gmsh busy for ever. */
        {"Mesh.MeshSizeExtendFromBoundary", head->anew != 0 ? 1.0 : 0.0},
        {"Mesh.MeshSizeFromPoints", 0.0},
        {"Mesh.Algorithm3D", 1.0},
        {"Mesh.MaxIterDelaunay3D", insertions < 1e9 ? insertions : 1e9},
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
static bool make_surface(const job *j, bool anew, fill_mesh *out)
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
        return gmsh_failed(out, "take the surface");
    }
    if (anew) {
        gmshModelMeshClassifySurfaces(40.0 * M_PI / 180.0, 1, 1, M_PI, 1, &error);
        if (error == 0) {
            gmshModelMeshCreateGeometry(NULL, 0, &error);
        }
        if (error != 0) {
            return gmsh_failed(out, "parametrise the surface");
        }
    }
    return true;
}

/* One volume inside all faces (cavities included: gmsh only wants the list), meshed. */
static bool make_volume(fill_mesh *out)
{
    int error = 0;
    int *entities = NULL; /* (dim, tag) pairs */
    size_t count = 0;
    gmshModelGetEntities(&entities, &count, 2, &error);
    if (error != 0 || count < 2) {
        gmshFree(entities);
        return gmsh_failed(out, "list the faces");
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
    return error == 0 || gmsh_failed(out, "fill the surface with tets");
}

/* Room for that many more nodes and tets. */
static bool grow(fill_mesh *out, size_t nnode, size_t ntet)
{
    if (out->nnode + nnode > INT32_MAX || out->ntet + ntet > INT32_MAX / 4) {
        (void)snprintf(out->text, sizeof out->text, "gmsh made more tets than can be numbered");
        return false;
    }
    double *pos = realloc(out->pos, (out->nnode + nnode) * 3 * sizeof *pos);
    if (pos != NULL) {
        out->pos = pos;
    }
    uint32_t *tet = realloc(out->tet, (out->ntet + ntet) * 4 * sizeof *tet);
    if (tet != NULL) {
        out->tet = tet;
    }
    return (pos != NULL && tet != NULL) || no_memory(out);
}

/* Adds gmsh's nodes and tets; numbers continue after those of earlier solids. */
static bool take_cells(fill_mesh *out, const size_t *tag, size_t ntag, const double *coord,
                       const size_t *node, size_t ntet)
{
    size_t last = 0;
    for (size_t i = 0; i < ntag; ++i) {
        last = tag[i] > last ? tag[i] : last;
    }
    if (last >= UINT32_MAX || !grow(out, ntag, ntet)) {
        return last >= UINT32_MAX ? gmsh_failed(out, "number its nodes") : false;
    }
    uint32_t *index = calloc(last + 1, sizeof *index); /* of a tag, counted from 1 */
    if (index == NULL) {
        return no_memory(out);
    }
    for (size_t i = 0; i < ntag; ++i) {
        index[tag[i]] = (uint32_t)(out->nnode + i + 1);
    }
    bool known = true;
    for (size_t i = 0; i < 4 * ntet; ++i) {
        const uint32_t found = node[i] <= last ? index[node[i]] : 0;
        known = known && found > 0;
        out->tet[4 * out->ntet + i] = found - 1;
    }
    free(index);
    memcpy(out->pos + 3 * out->nnode, coord, 3 * ntag * sizeof *coord);
    out->nnode += ntag;
    out->ntet += ntet;
    return known || gmsh_failed(out, "name the nodes of its tets");
}

static bool collect(fill_mesh *out)
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
    const bool whole =
        error == 0 && second_error == 0 && ncoord == 3 * ntag && nnode == 4 * ncell && ncell > 0;
    const bool done = whole ? take_cells(out, tag, ntag, coord, node, ncell)
                            : gmsh_failed(out, "fill the surface: it made no tets");
    void *const blocks[] = {tag, coord, parametric, cell, node};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i) {
        gmshFree(blocks[i]);
    }
    return done;
}

static bool fill_solid(const fill_surface *surface, uint32_t solid, fill_mesh *out)
{
    job j = {0};
    int error = 0;
    bool done = fill_job(surface, solid, &j, out);
    if (done) {
        gmshInitialize(0, NULL, 0, &error);
        if (error != 0) {
            (void)snprintf(out->text, sizeof out->text, "gmsh could not start");
        }
        done = error == 0;
    }
    if (done) {
        gmshModelAdd("brunt", &error);
        done = error == 0 && set_options(&surface->head) == 0 ? make_surface(&j, surface->head.anew != 0, out)
                                                              : gmsh_failed(out, "be set up");
        done = done && make_volume(out) && collect(out);
        gmshFinalize(&error);
    }
    clear_job(&j);
    return done;
}

bool fill_with_gmsh(const fill_surface *surface, fill_mesh *out)
{
    memset(out, 0, sizeof *out);
    bool done = true;
    for (uint32_t i = 0; i < surface->head.nsolid && done; ++i) {
        done = fill_solid(surface, i, out);
    }
    return done;
}
