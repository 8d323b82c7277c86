#include "coarsen/coarsen_files.h"

#include "terminal/grow_text.h"
#include "terminal/terminal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cli_coarsen_write_file(const char *dir, const char *name, const char *bytes, size_t size)
{
    char path[4096];
    char part[4096 + 8];
    if (bytes == NULL || snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path) {
        cli_error(bytes == NULL ? "out of memory" : "%s: path too long", dir);
        return false;
    }
    (void)snprintf(part, sizeof part, "%s.part", path);
    FILE *file = fopen(part, "wb");
    bool done = file != NULL && fwrite(bytes, 1, size, file) == size;
    done = file != NULL && fclose(file) == 0 && done;
    done = done && rename(part, path) == 0;
    if (!done) {
        cli_error("%s: %s", path, strerror(errno));
        (void)remove(part);
    }
    return done;
}

/* Nothing where there is no number. */
static void add_number(cli_text *text, double value)
{
    if (isfinite(value)) {
        cli_text_add(text, ",%.9g", value);
    } else {
        cli_text_add(text, ",");
    }
}

bool cli_coarsen_write_csv(const cli_coarsen_output *o)
{
    brn_coarsen_result r;
    brn_coarsen_mode m;
    cli_text text = {0};
    (void)brn_coarsen_get(o->coarsening, &r);
    cli_text_add(&text,
                 "mode,fine_hz,extrapolated_hz,before_hz,after_hz,error_before,error_after,alike,distance\n");
    for (int i = 0; i < r.modes; ++i) {
        (void)brn_coarsen_get_mode(o->coarsening, i, &m);
        cli_text_add(&text, "%d", i + 1);
        const double value[] = {m.fine,         m.extrapolated, m.before, m.after,
                                m.error_before, m.error_after,  m.alike,  m.distance};
        for (size_t k = 0; k < sizeof value / sizeof value[0]; ++k) {
            add_number(&text, value[k]);
        }
        cli_text_add(&text, "\n");
    }
    const bool done =
        cli_coarsen_write_file(o->dir, "coarsen.csv", text.failed ? NULL : text.bytes, text.size);
    cli_text_free(&text);
    return done;
}

static void write_level(brn_json *json, const brn_coarsen_level *level)
{
    brn_json_open(json, NULL, '{');
    brn_json_text(json, "for", level->refining ? "fine" : "coarse");
    brn_json_real(json, "size", level->size);
    brn_json_int(json, "cells", level->cells);
    brn_json_int(json, "nodes", level->nodes);
    brn_json_int(json, "dofs", level->dofs);
    brn_json_open(json, "frequency", '[');
    for (int i = 0; i < level->modes; ++i) {
        brn_json_real(json, NULL, level->frequency[i]);
    }
    brn_json_close(json);
    if (level->refining) {
        brn_json_real(json, "change", level->change);
    } else {
        brn_json_open(json, "distance", '[');
        for (int i = 0; i < BRN_COARSEN_SHAPES; ++i) {
            brn_json_real(json, NULL, level->distance[i]);
        }
        brn_json_close(json);
        brn_json_real(json, "spread", level->spread);
        brn_json_bool(json, "fits", level->fits);
    }
    brn_json_close(json);
}

static void write_result(brn_json *json, const cli_coarsen_output *o, const brn_coarsen_result *r)
{
    brn_json_text(json, "scene", o->scene);
    brn_json_text(json, "body", r->body);
    brn_json_bool(json, "converged", r->converged);
    brn_json_int(json, "fine", r->fine);
    brn_json_int(json, "coarse", r->coarse);
    brn_json_real(json, "order", r->order);
    brn_json_real(json, "scale", r->scale);
    brn_json_real(json, "lambda", r->lambda);
    brn_json_real(json, "beta", r->beta);
    brn_json_real(json, "load", r->load);
    brn_json_real(json, "load_error", r->load_error);
    brn_json_real(json, "error_before", r->error_before);
    brn_json_real(json, "error_after", r->error_after);
    brn_json_real(json, "distance", r->distance);
    brn_json_real(json, "flops_fine", r->flops_fine);
    brn_json_real(json, "flops_coarse", r->flops_coarse);
    brn_json_open(json, "changes", '[');
    for (int i = 0; i < r->changes; ++i) {
        brn_json_text(json, NULL, brn_coarsen_change(o->coarsening, i));
    }
    brn_json_close(json);
}

static void write_modes(brn_json *json, const brn_coarsening *c, int count)
{
    brn_json_open(json, "modes", '[');
    for (int i = 0; i < count; ++i) {
        brn_coarsen_mode m;
        (void)brn_coarsen_get_mode(c, i, &m);
        brn_json_open(json, NULL, '{');
        brn_json_real(json, "fine", m.fine);
        brn_json_real(json, "extrapolated", m.extrapolated);
        brn_json_real(json, "before", m.before);
        brn_json_real(json, "after", m.after);
        brn_json_real(json, "error_before", m.error_before);
        brn_json_real(json, "error_after", m.error_after);
        brn_json_real(json, "alike", m.alike);
        brn_json_real(json, "distance", m.distance);
        brn_json_close(json);
    }
    brn_json_close(json);
}

bool cli_coarsen_write_json(const cli_coarsen_output *o)
{
    brn_json *json = NULL;
    brn_coarsen_result r;
    (void)brn_coarsen_get(o->coarsening, &r);
    if (brn_json_create(o->ctx, 2, &json) < 0) {
        cli_error("%s", brn_ctx_message(o->ctx));
        return false;
    }
    brn_json_open(json, NULL, '{');
    write_result(json, o, &r);
    write_modes(json, o->coarsening, r.modes);
    brn_json_open(json, "meshes", '[');
    for (int i = 0; i < r.levels; ++i) {
        brn_coarsen_level level;
        (void)brn_coarsen_get_level(o->coarsening, i, &level);
        write_level(json, &level);
    }
    brn_json_close(json);
    brn_json_close(json);
    const char *text = NULL;
    size_t size = 0;
    const bool whole = brn_json_get(json, &text, &size) >= 0;
    const bool done = cli_coarsen_write_file(o->dir, "coarsen.json", whole ? text : NULL, size);
    brn_json_destroy(json);
    return done;
}
