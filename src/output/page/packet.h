/* A packet for the viewer's page: a JSON text and arrays in one run of bytes; docs/viewer.md has the layout. */
#ifndef BRN_OUTPUT_PAGE_PACKET_H
#define BRN_OUTPUT_PAGE_PACKET_H

#include "base/json.h"

typedef enum brn_packet_type {
    BRN_PACKET_U8,
    BRN_PACKET_I16,
    BRN_PACKET_U16,
    BRN_PACKET_U32,
    BRN_PACKET_F32,
    BRN_PACKET_F64
} brn_packet_type;

enum { BRN_PACKET_ARRAYS = 32 };

/* Zeroed but for ctx. Its memory is kept from packet to packet. */
typedef struct brn_packet {
    brn_ctx *ctx;
    brn_json json; /* its object is open until "arrays" ends it */
    int narray;
    struct {
        const char *name; /* static */
        brn_packet_type type;
        size_t count, offset;
    } array[BRN_PACKET_ARRAYS];
    unsigned char *data; /* the arrays */
    size_t used, capacity;
    brn_text out;
    bool failed;
} brn_packet;

void brn_packet_begin(brn_packet *packet); /* empty again, with an object opened */
void brn_packet_clear(brn_packet *packet); /* frees */
/* Room for an array of `count` entries, to be filled before the next one is added; not zeroed. NULL: out of memory, which
   brn_packet_end reports as well. */
void *brn_packet_add(brn_packet *packet, const char *name, brn_packet_type type, size_t count);
/* delta: codes arrays of u16 as differences, for packets that will be compressed. The bytes belong to the packet, valid until
   it begins again. */
brn_status brn_packet_end(brn_packet *packet, bool delta, const void **bytes, size_t *size);

#endif
