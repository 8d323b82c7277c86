/* The JSON of a .glb file and the places of its arrays. */
#ifndef BRN_OUTPUT_EXPORT_GLTF_JSON_H
#define BRN_OUTPUT_EXPORT_GLTF_JSON_H

#include "base/json.h"
#include "output/export/gltf_motion.h"

/* The binary part, in this order; every entry is a word of 4 bytes. */
typedef enum brn_gltf_part {
    BRN_GLTF_INDICES, /* u32: corners of triangles, or ends of lines of bodies without triangles, body by body; they count the
                              vertices of their body */
    BRN_GLTF_BASE,      /* f32 [vertices][3] */
    BRN_GLTF_TARGETS,   /* f32 [frames but the first][vertices of MORPH bodies][3] */
    BRN_GLTF_TIMES,     /* f32 [frames] */
    BRN_GLTF_PLACES,    /* f32 [bodies SHIFT or TURN][frames][3] */
    BRN_GLTF_TURNS,     /* f32 [bodies TURN][frames][4] */
    BRN_GLTF_WEIGHT_AT, /* u32 [frames but the first]: the weights that are not 0 */
    BRN_GLTF_WEIGHT,    /* f32 [frames but the first]: ones */
    BRN_GLTF_PARTS
} brn_gltf_part;

typedef struct brn_gltf {
    const brn_playback_info *info;
    const brn_drawing *surface;
    const brn_gltf_motion *motion;
    uint64_t words[BRN_GLTF_PARTS]; /* of each part */
    int morph_vertices;             /* of all MORPH bodies */
} brn_gltf;

/* Sizes of the parts. */
void brn_gltf_layout(brn_gltf *gltf);
uint64_t brn_gltf_bytes(const brn_gltf *gltf); /* of the binary part */
/* BRN_ERR_LIMIT if the file, with a JSON of so many bytes, would be larger than programs can read;
   the message says what to do. */
brn_status brn_gltf_check(brn_ctx *ctx, const brn_gltf *gltf, size_t json, int every);
int brn_gltf_index_count(const brn_gltf *gltf, int body);
/* Is there anything to draw of this body? */
bool brn_gltf_shown(const brn_gltf *gltf, int body);
void brn_gltf_json(const brn_gltf *gltf, brn_json *json);

#endif
