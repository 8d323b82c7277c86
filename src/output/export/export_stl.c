/* NAME.stl of every body that is not an obstacle: its shape at rest, to be printed. Binary STL; the format has no units, and
   programs that slice take millimetres. */
#include "base/text.h"
#include "output/export/export_frame.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HEAD = 80, FACET = 50, NAME_MAX_BYTES = 100 };

static const double millimetres = 1e3;

static void put_u32(unsigned char *to, uint32_t value)
{
    for (int i = 0; i < 4; ++i) {
        to[i] = (unsigned char)(value >> (8 * i));
    }
}

static void put_vector(unsigned char *to, const double v[3])
{
    for (int i = 0; i < 3; ++i) {
        const float single = (float)v[i];
        uint32_t bits = 0;
        memcpy(&bits, &single, sizeof bits);
        put_u32(to + 4 * i, bits);
    }
}

static void put_facet(unsigned char *to, const double (*rest)[3], const int node[3])
{
    double edge[2][3];
    for (int i = 0; i < 3; ++i) {
        edge[0][i] = rest[node[1]][i] - rest[node[0]][i];
        edge[1][i] = rest[node[2]][i] - rest[node[0]][i];
    }
    double normal[3] = {edge[0][1] * edge[1][2] - edge[0][2] * edge[1][1],
                        edge[0][2] * edge[1][0] - edge[0][0] * edge[1][2],
                        edge[0][0] * edge[1][1] - edge[0][1] * edge[1][0]};
    const double length = hypot(hypot(normal[0], normal[1]), normal[2]);
    for (int i = 0; i < 3; ++i) {
        normal[i] = length > 0.0 ? normal[i] / length : 0.0;
    }
    put_vector(to, normal);
    for (int k = 0; k < 3; ++k) {
        const double x[3] = {millimetres * rest[node[k]][0], millimetres * rest[node[k]][1],
                             millimetres * rest[node[k]][2]};
        put_vector(to + 12 * (k + 1), x);
    }
    to[48] = to[49] = 0;
}

/* The body's name as a file's; its number behind it where another name comes out the same. */
static void name_file(const brn_playback_info *info, int body, char name[NAME_MAX_BYTES + 20])
{
    char plain[2][NAME_MAX_BYTES + 1];
    bool taken = false;
    for (int b = body; b >= 0; --b) {
        char *to = plain[b != body];
        size_t n = 0;
        for (const char *c = info->body_name[b]; *c != '\0' && n < NAME_MAX_BYTES; ++c, ++n) {
            const unsigned char u = (unsigned char)*c;
            const bool plain_one = isalnum(u) || *c == '-' || *c == '_' || (*c == '.' && n > 0) || u >= 128;
            to[n] = plain_one ? *c : '_';
        }
        to[n] = '\0';
        taken = taken || (b != body && strcmp(plain[0], plain[1]) == 0);
    }
    (void)snprintf(name, NAME_MAX_BYTES + 20, taken ? "%s_%d.stl" : "%s.stl", plain[0], body);
}

static brn_status write_body(brn_ctx *ctx, const brn_playback_info *info, const char *dir, int first,
                             int last)
{
    const size_t size = HEAD + 4 + (size_t)(last - first) * FACET;
    unsigned char *bytes = NULL;
    BRN_ALLOC(ctx, bytes, size);
    memset(bytes, ' ', HEAD);
    memcpy(bytes, "binary STL, millimetres", 23);
    put_u32(bytes + HEAD, (uint32_t)(last - first));
    for (int t = first; t < last; ++t) {
        put_facet(bytes + HEAD + 4 + (size_t)(t - first) * FACET, info->rest, info->tri[t]);
    }
    char name[NAME_MAX_BYTES + 20];
    name_file(info, info->tri_body[first], name);
    const brn_status status = brn_export_file(ctx, dir, name, (const char *)bytes, size);
    brn_free(ctx, bytes);
    return status;
}

brn_status brn_export_stl(brn_ctx *ctx, brn_playback *playback, const char *dir, int every, int *files)
{
    const brn_playback_info *info = brn_playback_get(playback);
    *files = 0;
    if (info->dim != 3) {
        return brn_fail(ctx, BRN_ERR_RANGE, "format 'stl': the scene is plane, and a print is not");
    }
    brn_frame frame;
    brn_status status = brn_export_begin(ctx, info, dir, every, 0, &frame);
    for (int first = 0, last; first < info->ntri && status >= 0; first = last) {
        const int body = info->tri_body[first];
        for (last = first; last < info->ntri && info->tri_body[last] == body; ++last) {}
        if (info->body_type[body] != BRN_BODY_STATIC) {
            status = write_body(ctx, info, dir, first, last);
            *files += status >= 0;
        }
    }
    brn_export_end(ctx, &frame);
    return status;
}
