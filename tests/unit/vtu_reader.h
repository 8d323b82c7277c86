/* A reader of VTU files that shares nothing with what writes them. */
#ifndef BRN_TESTS_UNIT_VTU_READER_H
#define BRN_TESTS_UNIT_VTU_READER_H

#include "test.h"

#include "base/os.h"

#include <zlib.h>

typedef struct vtu_file {
    char *bytes;
    size_t length;
    const char *data; /* behind the underscore */
} vtu_file;

static inline vtu_file vtu_open(brn_ctx *ctx, const char *path)
{
    vtu_file file = {0};
    assert_done(ctx, brn_file_read(ctx, path, 1 << 26, &file.bytes, &file.length));
    const char *mark = strstr(file.bytes, "<AppendedData encoding=\"raw\">");
    assert_non_null(mark);
    file.data = strchr(mark, '_') + 1;
    assert_non_null(strstr(file.bytes, "header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\""));
    return file;
}

/* Value of an attribute inside a tag. */
static inline long attribute(const char *tag, const char *name)
{
    char key[64];
    (void)snprintf(key, sizeof key, " %s=\"", name);
    const char *at = strstr(tag, key);
    assert_non_null(at);
    assert_true(at < strchr(tag, '>'));
    return atol(at + strlen(key));
}

/* Unpacks the array `name` of `section`; its type and length in bytes must be as told. */
static inline void *vtu_array(const vtu_file *file, const char *section, const char *name, const char *type,
                              size_t length)
{
    char key[160];
    const char *start = strstr(file->bytes, section);
    assert_non_null(start);
    (void)snprintf(key, sizeof key, "<DataArray type=\"%s\" Name=\"%s\"", type, name);
    const char *tag = strstr(start, key);
    if (tag == NULL) {
        fail_msg("no %s in %s", key, section);
        return NULL;
    }
    const char *packed = file->data + attribute(tag, "offset");
    uint64_t head[3];
    memcpy(head, packed, sizeof head);
    uint64_t *sizes = malloc((head[0] + 1) * sizeof *sizes);
    memcpy(sizes, packed + sizeof head, head[0] * sizeof *sizes);
    const char *block = packed + (3 + head[0]) * sizeof *sizes;
    unsigned char *out = malloc(length + 1);
    size_t done = 0;
    for (uint64_t b = 0; b < head[0]; ++b) {
        const size_t want = b + 1 < head[0] || head[2] == 0 ? head[1] : head[2];
        uLongf got = length - done;
        assert_true(block + sizes[b] < file->bytes + file->length);
        assert_int_equal(uncompress(out + done, &got, (const Bytef *)block, sizes[b]), Z_OK);
        assert_int_equal(got, want);
        done += got;
        block += sizes[b];
    }
    assert_int_equal(done, length);
    free(sizes);
    return out;
}

static inline void expect_reals(const vtu_file *file, const char *section, const char *name,
                                const double *want, size_t count)
{
    double *got = vtu_array(file, section, name, "Float64", count * sizeof *want);
    assert_memory_equal(got, want, count * sizeof *want);
    free(got);
}

#endif
