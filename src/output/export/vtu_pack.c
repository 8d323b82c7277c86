#include "output/export/vtu_pack.h"

#include "base/parallel.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

enum { BLOCK = 1 << 16 };

typedef struct pack_job {
    const unsigned char *bytes;
    size_t length;
    size_t bound;        /* room of a slot */
    unsigned char *slot; /* [nblocks][bound] */
    uint64_t *size;      /* [nblocks] compressed */
} pack_job;

static voidpf take(voidpf arena, uInt count, uInt size)
{
    return brn_arena_take(arena, count, size);
}

/* The arena is rewound after the block. */
static void drop(voidpf arena, voidpf block)
{
    (void)arena;
    (void)block;
}

static brn_status pack_block(void *arg, int block, brn_arena *scratch)
{
    pack_job *job = arg;
    const size_t first = (size_t)block * BLOCK;
    z_stream stream = {.zalloc = take, .zfree = drop, .opaque = scratch};
    if (deflateInit(&stream, Z_BEST_SPEED) != Z_OK) {
        return BRN_ERR_MEMORY;
    }
    stream.next_in = (z_const Bytef *)(uintptr_t)(job->bytes + first);
    stream.avail_in = (uInt)(job->length - first < BLOCK ? job->length - first : BLOCK);
    stream.next_out = job->slot + (size_t)block * job->bound;
    stream.avail_out = (uInt)job->bound;
    const int done = deflate(&stream, Z_FINISH);
    job->size[block] = stream.total_out;
    (void)deflateEnd(&stream);
    return done == Z_STREAM_END ? BRN_OK : BRN_ERR_LIMIT;
}

static brn_status pack(brn_ctx *ctx, pack_job *job, int nblocks, brn_text *out)
{
    brn_arena *arena = brn_ctx_arena(ctx);
    BRN_TAKE(arena, job->slot, (size_t)nblocks * job->bound);
    BRN_TAKE(arena, job->size, nblocks);
    BRN_TRY(brn_parallel_for(ctx, nblocks, pack_block, job));
    const uint64_t head[3] = {(uint64_t)nblocks, BLOCK, job->length % BLOCK};
    brn_text_append(out, (const char *)head, sizeof head);
    brn_text_append(out, (const char *)job->size, (size_t)nblocks * sizeof *job->size);
    for (int b = 0; b < nblocks; ++b) {
        brn_text_append(out, (const char *)job->slot + (size_t)b * job->bound, job->size[b]);
    }
    return out->failed ? BRN_ERR_MEMORY : BRN_OK;
}

brn_status brn_vtu_pack(brn_ctx *ctx, const void *bytes, size_t length, brn_text *out)
{
    if (length > (size_t)INT_MAX * BLOCK) {
        return brn_fail(ctx, BRN_ERR_LIMIT, "export: an array of %zu bytes is too large", length);
    }
    pack_job job = {.bytes = bytes, .length = length, .bound = compressBound(BLOCK)};
    brn_arena *arena = brn_ctx_arena(ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const brn_status status = pack(ctx, &job, (int)((length + BLOCK - 1) / BLOCK), out);
    brn_arena_rewind(arena, mark);
    return status;
}

const char *brn_vtu_byte_order(void)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "LittleEndian" : "BigEndian";
}

void brn_vtu_head(brn_text *xml, double time, size_t npoint, size_t ncell)
{
    char number[BRN_REAL_TEXT];
    brn_text_add(
        xml,
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" "
        "header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n<UnstructuredGrid>\n",
        brn_vtu_byte_order());
    brn_text_add(
        xml,
        "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">"
        "%s</DataArray>\n</FieldData>\n",
        brn_format_real(time, number));
    brn_text_add(xml, "<Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n", npoint, ncell);
}

void brn_vtu_tag(brn_text *xml, const char *type, const char *name, int width, size_t offset)
{
    brn_text_add(
        xml,
        "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%zu\"/>\n",
        type, name, width, offset);
}

void brn_vtu_tail(brn_text *xml, const brn_text *data)
{
    brn_text_add(xml, "</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
    brn_text_append(xml, data->data, data->length);
    brn_text_add(xml, "\n</AppendedData>\n</VTKFile>\n");
}
