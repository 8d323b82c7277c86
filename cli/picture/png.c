/* PNG [ISO/IEC 15948]: a signature, then chunks (length, type, data, CRC). Rows of pixels are filtered, each by one of five
   predictors that its first byte names, and packed by zlib. Three things make it smaller: no alpha if all is opaque, a palette if
   there are few colours, and the best of several ways to filter with zlib's thorough search. */
#include "picture/png.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { SIDE_MAX = 16384, COLOURS_MAX = 256, FILTERS = 5 };
enum { TYPE_RGB = 2, TYPE_PALETTE = 3, TYPE_RGBA = 6 };

static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

typedef struct image {
    size_t width, height, channels; /* of a pixel: bytes */
    unsigned char *pixels;          /* [height][width][channels] */
    unsigned char palette[3 * COLOURS_MAX];
    int colours; /* in the palette, 0: none */
} image;

typedef struct buffer {
    unsigned char *bytes;
    size_t size;
} buffer;

static uint32_t read_word(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void write_word(unsigned char *at, uint32_t word)
{
    for (int i = 0; i < 4; ++i) {
        at[i] = (unsigned char)(word >> (24 - 8 * i));
    }
}

static int predict_paeth(int left, int up, int corner)
{
    const int p = left + up - corner;
    const int a = abs(p - left), b = abs(p - up), c = abs(p - corner);
    return a <= b && a <= c ? left : b <= c ? up : corner;
}

/* What filter `kind` expects of byte x of a row, from the pixel before and the row above (NULL: zeros). */
static int predict(int kind, const unsigned char *row, const unsigned char *above, size_t x, size_t channels)
{
    const int left = x >= channels ? row[x - channels] : 0;
    const int up = above != NULL ? above[x] : 0;
    const int corner = above != NULL && x >= channels ? above[x - channels] : 0;
    const int guess[FILTERS] = {0, left, up, (left + up) / 2, predict_paeth(left, up, corner)};
    return guess[kind];
}

/* ---- reading ------------------------------------------------------------------------------------------------------------ */

/* Width, height and channels, and all IDAT data in one piece. */
static bool read_chunks(const unsigned char *png, size_t size, image *img, buffer *packed)
{
    if (size < 8 + 25 || memcmp(png, signature, 8) != 0 || memcmp(png + 12, "IHDR", 4) != 0) {
        return false;
    }
    img->width = read_word(png + 16);
    img->height = read_word(png + 20);
    img->channels = png[25] == TYPE_RGBA ? 4 : 3;
    const bool known = png[24] == 8 && (png[25] == TYPE_RGB || png[25] == TYPE_RGBA) && png[28] == 0;
    if (!known || img->width < 1 || img->width > SIDE_MAX || img->height < 1 || img->height > SIDE_MAX) {
        return false;
    }
    packed->bytes = malloc(size);
    for (size_t at = 8; packed->bytes != NULL && size - at >= 12;) {
        const uint32_t length = read_word(png + at);
        if (length > size - at - 12) {
            return false;
        }
        if (memcmp(png + at + 4, "IDAT", 4) == 0) {
            memcpy(packed->bytes + packed->size, png + at + 8, length);
            packed->size += length;
        }
        at += 12 + (size_t)length;
    }
    return packed->bytes != NULL;
}

static bool unfilter(image *img, const unsigned char *rows)
{
    const size_t stride = img->width * img->channels;
    for (size_t y = 0; y < img->height; ++y) {
        const unsigned char *in = rows + y * (stride + 1);
        unsigned char *row = img->pixels + y * stride;
        if (in[0] >= FILTERS) {
            return false;
        }
        for (size_t x = 0; x < stride; ++x) {
            row[x] = (unsigned char)(in[x + 1] +
                                     predict(in[0], row, y > 0 ? row - stride : NULL, x, img->channels));
        }
    }
    return true;
}

static bool read_image(const unsigned char *png, size_t size, image *img)
{
    buffer packed = {0};
    unsigned char *rows = NULL;
    bool done = read_chunks(png, size, img, &packed);
    if (done) {
        const size_t bytes = img->height * (img->width * img->channels + 1);
        uLongf got = bytes;
        rows = malloc(bytes);
        img->pixels = malloc(bytes);
        done = rows != NULL && img->pixels != NULL &&
               uncompress(rows, &got, packed.bytes, packed.size) == Z_OK && got == bytes &&
               unfilter(img, rows);
    }
    free(packed.bytes);
    free(rows);
    return done;
}

/* ---- fewer bytes a pixel ---------------------------------------------------------------------------------------------------- */

static void drop_alpha(image *img)
{
    const size_t count = img->width * img->height;
    for (size_t i = 0; i < count; ++i) {
        if (img->channels != 4 || img->pixels[4 * i + 3] != 255) {
            return;
        }
    }
    for (size_t i = 0; i < count; ++i) {
        memmove(img->pixels + 3 * i, img->pixels + 4 * i, 3);
    }
    img->channels = 3;
}

/* Index of a colour in the palette; new ones are added. -1: it is full. */
static int find_colour(image *img, const unsigned char *rgb, int16_t *table, size_t slots)
{
    size_t slot = ((size_t)rgb[0] * 65599 + (size_t)rgb[1] * 257 + rgb[2]) % slots;
    for (; table[slot] >= 0; slot = (slot + 1) % slots) {
        if (memcmp(img->palette + 3 * table[slot], rgb, 3) == 0) {
            return table[slot];
        }
    }
    if (img->colours == COLOURS_MAX) {
        return -1;
    }
    memcpy(img->palette + 3 * img->colours, rgb, 3);
    table[slot] = (int16_t)img->colours;
    return img->colours++;
}

static void use_palette(image *img)
{
    int16_t table[1021]; /* prime, so that the steps reach every slot; 4 times its contents */
    const size_t slots = sizeof table / sizeof *table, count = img->width * img->height;
    memset(table, 0xff, sizeof table);
    for (size_t i = 0; i < count && img->channels == 3; ++i) {
        if (find_colour(img, img->pixels + 3 * i, table, slots) < 0) {
            img->colours = 0;
            return;
        }
    }
    if (img->channels != 3) {
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        img->pixels[i] = (unsigned char)find_colour(img, img->pixels + 3 * i, table, slots);
    }
    img->channels = 1;
}

/* ---- writing ----------------------------------------------------------------------------------------------------------------- */

/* A row filtered by `kind`, its name first; returns the sum of the magnitudes, which says roughly how well it packs. */
static long filter_row(const image *img, size_t y, int kind, unsigned char *out)
{
    const size_t stride = img->width * img->channels;
    const unsigned char *row = img->pixels + y * stride;
    long sum = 0;
    out[0] = (unsigned char)kind;
    for (size_t x = 0; x < stride; ++x) {
        out[x + 1] =
            (unsigned char)(row[x] - predict(kind, row, y > 0 ? row - stride : NULL, x, img->channels));
        sum += abs((signed char)out[x + 1]);
    }
    return sum;
}

/* All rows by one filter, or each by the one whose sum is the least (kind FILTERS); packed. */
static bool pack_rows(const image *img, int kind, buffer *out)
{
    const size_t stride = img->width * img->channels + 1, bytes = img->height * stride;
    unsigned char *rows = malloc(bytes), *trial = malloc(stride);
    uLongf size = compressBound(bytes);
    out->bytes = malloc(size);
    bool done = rows != NULL && trial != NULL && out->bytes != NULL;
    for (size_t y = 0; y < img->height && done; ++y) {
        if (kind < FILTERS) {
            (void)filter_row(img, y, kind, rows + y * stride);
            continue;
        }
        long least = 0;
        for (int k = 0; k < FILTERS; ++k) {
            const long sum = filter_row(img, y, k, trial);
            if (k == 0 || sum < least) {
                least = sum;
                memcpy(rows + y * stride, trial, stride);
            }
        }
    }
    done = done && compress2(out->bytes, &size, rows, bytes, Z_BEST_COMPRESSION) == Z_OK;
    out->size = size;
    free(rows);
    free(trial);
    return done;
}

static size_t add_chunk(unsigned char *at, const char *type, const void *data, size_t size)
{
    write_word(at, (uint32_t)size);
    memcpy(at + 4, type, 4);
    if (size > 0) {
        memcpy(at + 8, data, size);
    }
    write_word(at + 8 + size, (uint32_t)crc32(crc32(0, NULL, 0), at + 4, (uInt)size + 4));
    return 12 + size;
}

static unsigned char *write_image(const image *img, const buffer *packed, size_t *size)
{
    unsigned char head[13] = {0};
    unsigned char *out = malloc(packed->size + 3 * COLOURS_MAX + 128);
    if (out == NULL) {
        return NULL;
    }
    write_word(head, (uint32_t)img->width);
    write_word(head + 4, (uint32_t)img->height);
    head[8] = 8;
    head[9] = img->channels == 1 ? TYPE_PALETTE : img->channels == 3 ? TYPE_RGB : TYPE_RGBA;
    memcpy(out, signature, 8);
    *size = 8;
    *size += add_chunk(out + *size, "IHDR", head, sizeof head);
    if (img->channels == 1) {
        *size += add_chunk(out + *size, "PLTE", img->palette, 3 * (size_t)img->colours);
    }
    *size += add_chunk(out + *size, "IDAT", packed->bytes, packed->size);
    *size += add_chunk(out + *size, "IEND", NULL, 0);
    return out;
}

bool cli_png_pack(const void *png, size_t size, void **out, size_t *out_size)
{
    static const int ways[] = {0, 1, FILTERS}; /* drawings pack best unfiltered, shades by differences */
    image img = {0};
    buffer best = {0};
    *out = NULL;
    if (read_image(png, size, &img)) {
        drop_alpha(&img);
        use_palette(&img);
        for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
            buffer packed = {0};
            if (pack_rows(&img, ways[i], &packed) && (best.bytes == NULL || packed.size < best.size)) {
                free(best.bytes);
                best = packed;
            } else {
                free(packed.bytes);
            }
        }
        *out = best.bytes != NULL ? write_image(&img, &best, out_size) : NULL;
    }
    free(img.pixels);
    free(best.bytes);
    if (*out != NULL && *out_size >= size) {
        free(*out);
        *out = NULL;
    }
    return *out != NULL;
}
