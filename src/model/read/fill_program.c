#define _GNU_SOURCE /* strsignal */
#include "model/read/fill_program.h"

#include "base/child.h"
#include "model/read/draft.h"
#include "model/read/fill_wire.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double brn_fill_estimate(const brn_closed_surface *surface, double resolution)
{
    return 8.5 * surface->volume / (resolution * resolution * resolution);
}

/* ---- the program ----------------------------------------------------------------------------------------------------- */

/* The first program that exists, or "". */
static void find_program(char path[BRN_PATH_SIZE])
{
    const char *named = getenv("BRUNT_FILL");
    if (named != NULL && named[0] != '\0') {
        const bool fits = snprintf(path, BRN_PATH_SIZE, "%s", named) < BRN_PATH_SIZE;
        path[fits ? strlen(path) : 0] = '\0';
        return;
    }
    static const char *const places[] = {"brunt-fill", "../brunt-fill", BRN_FILL_FROM_LIB, BRN_FILL_FROM_BIN};
    char folders[2][BRN_PATH_SIZE];
    brn_code_folder(folders[0]);
    brn_program_folder(folders[1]);
    for (int f = 0; f < 2; ++f) {
        for (size_t i = 0; i < sizeof places / sizeof *places && folders[f][0] != '\0'; ++i) {
            const int n = snprintf(path, BRN_PATH_SIZE, "%s/%s", folders[f], places[i]);
            if (n < BRN_PATH_SIZE && brn_can_execute(path)) {
                return;
            }
        }
    }
    (void)snprintf(path, BRN_PATH_SIZE, "%s", brn_can_execute(BRN_FILL_INSTALLED) ? BRN_FILL_INSTALLED : "");
}

static brn_status missing(brn_ctx *ctx)
{
    return brn_fail(
        ctx, BRN_ERR_MISSING,
        "filling a surface with tets needs brunt's program brunt-fill, which is neither beside brunt nor in "
        "%s: install the Debian package libgmsh-dev and build brunt again, or set BRUNT_FILL to its path",
        BRN_FILL_INSTALLED);
}

/* ---- limits ---------------------------------------------------------------------------------------------------------- */

static brn_status set_limits(const brn_closed_surface *surface, brn_fill_request *head)
{
    const double tets = brn_fill_estimate(surface, head->resolution) + surface->ntri;
    head->cpu_seconds = BRN_FILL_SECONDS + BRN_FILL_TET_SECONDS * tets;
    head->memory = BRN_FILL_BYTES + BRN_FILL_TET_BYTES * tets;
    const char *named = getenv("BRUNT_FILL_SECONDS");
    if (named != NULL && named[0] != '\0') {
        char *end = NULL;
        head->cpu_seconds = strtod(named, &end);
        if (*end != '\0' || !(head->cpu_seconds >= 0.1 && head->cpu_seconds <= 1e8)) {
            return brn_fail(
                surface->ctx, BRN_ERR_RANGE,
                "BRUNT_FILL_SECONDS='%s' in the environment: must be a number of seconds from 0.1 to 1e8",
                named);
        }
    }
    return BRN_OK;
}

/* ---- the request ----------------------------------------------------------------------------------------------------- */

static brn_status make_request(const brn_closed_surface *s, brn_fill_request head, char **out, size_t *size)
{
    const size_t pos_size = (size_t)s->nnode * sizeof *s->pos;
    const size_t tri_size = (size_t)s->ntri * sizeof *s->tri;
    const size_t solid_size = (size_t)s->ntri * sizeof *s->solid;
    head.cpu_seconds = fmax(head.cpu_seconds, 1.0); /* the system counts whole seconds */
    *size = sizeof head + pos_size + tri_size + solid_size;
    BRN_ALLOC(s->ctx, *out, *size);
    char *at = *out;
    memcpy(at, &head, sizeof head);
    memcpy(at += sizeof head, s->pos, pos_size);
    memcpy(at += pos_size, s->tri, tri_size); /* int indices >= 0 have the bits of uint32_t */
    memcpy(at + tri_size, s->solid, solid_size);
    return BRN_OK;
}

/* ---- the answer ------------------------------------------------------------------------------------------------------ */

static brn_status bad_answer(brn_ctx *ctx, const char *program)
{
    return brn_fail(ctx, BRN_ERR_FORMAT, "surface: %s: its answer is not one of this version of brunt",
                    program);
}

static brn_status add_cells(const brn_closed_surface *surface, const char *program,
                            const brn_fill_answer *head, const char *at, brn_draft *draft)
{
    const brn_scan scan = brn_scan_open(surface->ctx, "", 0, "surface");
    for (uint32_t i = 0; i < head->nnode; ++i, at += 3 * sizeof(double)) {
        double pos[3];
        memcpy(pos, at, sizeof pos);
        if (!(isfinite(pos[0]) && isfinite(pos[1]) && isfinite(pos[2]))) {
            return bad_answer(surface->ctx, program);
        }
        BRN_TRY(brn_draft_add_node(draft, &scan, i, pos));
    }
    for (uint32_t i = 0; i < head->ntet; ++i, at += 4 * sizeof(int)) {
        int cell[4];
        memcpy(cell, at, sizeof cell);
        for (int k = 0; k < 4; ++k) {
            if (cell[k] < 0 || (uint32_t)cell[k] >= head->nnode) {
                return bad_answer(surface->ctx, program);
            }
        }
        BRN_TRY(brn_draft_add_cell(draft, BRN_TET4, cell));
    }
    return BRN_OK;
}

/* Everything is checked: another program may have been named. */
static brn_status read_answer(const brn_closed_surface *surface, const char *program,
                              const brn_child_result *result, brn_draft *draft)
{
    brn_fill_answer head;
    if (result->length < sizeof head) {
        return bad_answer(surface->ctx, program);
    }
    memcpy(&head, result->bytes, sizeof head);
    const char *at = result->bytes + sizeof head;
    const size_t rest = result->length - sizeof head;
    if (memcmp(head.magic, BRN_FILL_MAGIC, sizeof head.magic) != 0 || head.zero != 0) {
        return bad_answer(surface->ctx, program);
    }
    if (head.text != 0) {
        if (head.text > BRN_FILL_TEXT_MAX || rest != head.text) {
            return bad_answer(surface->ctx, program);
        }
        char text[BRN_FILL_TEXT_MAX + 1] = "";
        for (uint32_t i = 0; i < head.text; ++i) {
            text[i] = (unsigned char)at[i] >= ' ' && (unsigned char)at[i] < 127 ? at[i] : ' ';
        }
        return brn_fail(surface->ctx, BRN_ERR_MESH, "surface: %s", text);
    }
    if (head.nnode > INT_MAX || head.ntet > INT_MAX / 4 ||
        rest != (size_t)head.nnode * 3 * sizeof(double) + (size_t)head.ntet * 4 * sizeof(int)) {
        return bad_answer(surface->ctx, program);
    }
    return add_cells(surface, program, &head, at, draft);
}

/* What to say of a program that gave none. */
static brn_status say_end(brn_ctx *ctx, const char *program, const brn_child_result *result, double seconds)
{
    static const char remedy[] = "gmsh cannot mesh this surface so: repair it, or choose another resolution";
    switch (result->end) {
    case BRN_CHILD_LATE:
        return brn_fail(ctx, BRN_ERR_LIMIT,
                        "surface: %s did not finish within %.4g s: choose a larger resolution, repair the "
                        "surface, or set BRUNT_FILL_SECONDS to more than %.4g in the environment",
                        program, 4.0 * seconds, seconds);
    case BRN_CHILD_KILLED:
        if (result->code == SIGXCPU) {
            return brn_fail(
                ctx, BRN_ERR_LIMIT,
                "surface: %s needed more than %.4g s of CPU time: choose a larger resolution, "
                "repair the surface, or set BRUNT_FILL_SECONDS to more than that in the environment",
                program, fmax(seconds, 1.0));
        }
        if (result->code == SIGINT || result->code == SIGTERM || result->code == SIGHUP) {
            return brn_fail(ctx, BRN_ERR_CANCELLED, "surface: %s was interrupted", program);
        }
        return brn_fail(ctx, BRN_ERR_MESH, "surface: %s was ended by signal %d (%s): %s", program,
                        result->code, strsignal(result->code), remedy);
    case BRN_CHILD_EXITED:
        return brn_fail(
            ctx, BRN_ERR_MESH,
            "surface: %s ended with code %d and no answer: start it by hand to see whether it can "
            "start at all",
            program, result->code);
    case BRN_CHILD_LONG:
        return bad_answer(ctx, program);
    default:
        return brn_fail(ctx, BRN_ERR_MESH, "surface: %s ended without an answer: %s", program, remedy);
    }
}

/* Nodes and tets of all solids, as the program gives them. */
static brn_status call_program(const brn_closed_surface *surface, double resolution, bool anew,
                               brn_draft *draft)
{
    brn_ctx *ctx = surface->ctx;
    char program[BRN_PATH_SIZE];
    find_program(program);
    if (program[0] == '\0') {
        return missing(ctx);
    }
    brn_fill_request head = {.nnode = (uint32_t)surface->nnode,
                             .ntri = (uint32_t)surface->ntri,
                             .nsolid = (uint32_t)surface->nsolid,
                             .anew = anew,
                             .resolution = resolution,
                             .volume = surface->volume};
    memcpy(head.magic, BRN_FILL_MAGIC, sizeof head.magic);
    BRN_TRY(set_limits(surface, &head));
    char *request = NULL;
    size_t size = 0;
    BRN_TRY(make_request(surface, head, &request, &size));
    brn_child_result result;
    /* A tet has 16 bytes, and there are fewer nodes, of 24, than tets. */
    const double limit = 40.0 * head.memory / BRN_FILL_TET_BYTES * 10.0;
    brn_status status =
        brn_child_call(ctx, program, request, size, 4.0 * head.cpu_seconds, (size_t)limit, &result);
    brn_free(ctx, request);
    if (status == BRN_ERR_CANCELLED) {
        return brn_fail(ctx, status, "surface: cancelled while it was filled with tets");
    }
    if (status == BRN_ERR_MISSING) {
        return brn_fail(ctx, status,
                        "%s (it fills surfaces with tets; BRUNT_FILL in the environment names another)",
                        brn_ctx_message(ctx));
    }
    if (status >= 0) {
        status = result.end == BRN_CHILD_ANSWERED ? read_answer(surface, program, &result, draft)
                                                  : say_end(ctx, program, &result, head.cpu_seconds);
        brn_free(ctx, result.bytes);
    }
    return status;
}

/* ---- the mesh -------------------------------------------------------------------------------------------------------- */

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

brn_status brn_fill_closed(const brn_closed_surface *surface, double resolution, bool anew, brn_mesh **out)
{
    *out = NULL;
    const brn_scan scan = brn_scan_open(surface->ctx, "", 0, "surface");
    brn_draft draft;
    brn_draft_open(&draft, surface->ctx);
    brn_mesh *mesh = NULL;
    brn_status status = call_program(surface, resolution, anew, &draft);
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
