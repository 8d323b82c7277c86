#include "base/os.h"
#include "base/text.h"
#include "model/read/readers.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const brn_reader readers[] = {
    {"Gmsh MSH", "msh", brn_read_msh},      {"Abaqus / CalculiX input", "inp", brn_read_inp},
    {"Wavefront OBJ", "obj", brn_read_obj}, {"STL", "stl", brn_read_stl},
    {"legacy VTK", "vtk", brn_read_vtk},    {"TetGen", "node ele", brn_read_tetgen},
};

/* Every extension, for the nearest to a misspelt one. */
static const char *const extensions[] = {"msh", "inp", "obj", "stl", "vtk", "node", "ele"};

static const size_t file_limit = (size_t)1 << 34; /* 16 GiB: more cells than a mesh may have */

int brn_reader_count(void)
{
    return BRN_COUNT(readers);
}

const brn_reader *brn_reader_get(int index)
{
    return index >= 0 && index < BRN_COUNT(readers) ? &readers[index] : NULL;
}

/* True if a blank-separated list holds the word (case ignored). */
static bool lists(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (const char *c = list; *c != '\0'; c += strspn(c, " ")) {
        const size_t length = strcspn(c, " ");
        if (length == n && strncasecmp(c, word, n) == 0) {
            return true;
        }
        c += length;
    }
    return false;
}

static const brn_reader *reader_of(const char *extension)
{
    for (int i = 0; extension[0] != '\0' && i < BRN_COUNT(readers); ++i) {
        if (lists(readers[i].extensions, extension)) {
            return &readers[i];
        }
    }
    return NULL;
}

static brn_status unknown_extension(brn_ctx *ctx, const char *path, const char *extension)
{
    const int nearest = brn_nearest_word(extension, extensions, BRN_COUNT(extensions));
    char hint[64] = "";
    if (strcasecmp(extension, "ply") == 0) {
        (void)snprintf(hint, sizeof hint, ": convert it to STL or OBJ");
    } else if (nearest >= 0 && extension[0] != '\0') {
        (void)snprintf(hint, sizeof hint, ", did you mean .%s?", extensions[nearest]);
    }
    return brn_fail(ctx, BRN_ERR_FORMAT,
                    "%s: not a mesh format that brunt reads (msh, inp, obj, stl, vtk, node/ele)%s", path,
                    hint);
}

/* Appends a file to the text. */
static brn_status append_file(brn_ctx *ctx, const char *path, brn_text *text)
{
    char *bytes = NULL;
    size_t length = 0;
    BRN_TRY(brn_file_read(ctx, path, file_limit, &bytes, &length));
    brn_text_append(text, bytes, length);
    brn_free(ctx, bytes);
    return BRN_OK;
}

/* Both of TetGen's files, as the reader wants them. */
static brn_status read_pair(brn_ctx *ctx, const char *path, char **bytes, size_t *length)
{
    const size_t stem = strlen(path) - strlen(brn_path_extension(path));
    brn_text name = {.ctx = ctx};
    brn_text text = {.ctx = ctx};
    brn_status status = BRN_OK;
    for (int i = 0; i < 2 && status >= 0; ++i) {
        char *other = NULL;
        const char *wanted = i == 0 ? "node" : "ele";
        const bool given = strcasecmp(path + stem, wanted) == 0; /* keeps its own spelling */
        brn_text_add(&name, "%.*s%s", (int)stem, path, given ? path + stem : wanted);
        status = brn_text_take(&name, &other);
        if (status >= 0) {
            status = append_file(ctx, other, &text);
            brn_free(ctx, other);
        }
        if (i == 0) {
            brn_text_add(&text, "\n%%%%ele\n");
        }
    }
    *length = text.length;
    if (status < 0) {
        brn_text_clear(&text);
        return status;
    }
    return brn_text_take(&text, bytes);
}

brn_status brn_mesh_read(brn_ctx *ctx, const char *path, brn_mesh **out)
{
    *out = NULL;
    const char *extension = brn_path_extension(path);
    const brn_reader *reader = reader_of(extension);
    if (reader == NULL) {
        return unknown_extension(ctx, path, extension);
    }
    char *bytes = NULL;
    size_t length = 0;
    if (reader->read == brn_read_tetgen) {
        BRN_TRY(read_pair(ctx, path, &bytes, &length));
    } else {
        BRN_TRY(brn_file_read(ctx, path, file_limit, &bytes, &length));
    }
    const brn_status status = reader->read(ctx, bytes, length, path, out);
    brn_free(ctx, bytes);
    return status;
}
