#include "study/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t MAGIC = 0x62724d31; /* also tells another order of bytes */

void cli_packet_free(cli_packet *packet)
{
    free(packet->bytes);
    *packet = (cli_packet){0};
}

/* ---- writing ---------------------------------------------------------------------------------------------------------- */

static void put(cli_packet *p, const void *bytes, size_t size)
{
    if (p->failed || size > SIZE_MAX / 4 - p->size) {
        p->failed = true;
        return;
    }
    if (p->size + size > p->room) {
        const size_t room = 2 * (p->size + size);
        unsigned char *grown = realloc(p->bytes, room);
        if (grown == NULL) {
            p->failed = true;
            return;
        }
        p->bytes = grown;
        p->room = room;
    }
    memcpy(p->bytes + p->size, bytes, size);
    p->size += size;
}

static void put_int(cli_packet *p, int64_t value)
{
    put(p, &value, sizeof value);
}

static void put_real(cli_packet *p, double value)
{
    put(p, &value, sizeof value);
}

void cli_packet_put_text(cli_packet *packet, const char *text)
{
    const size_t length = strlen(text);
    put_int(packet, (int64_t)length);
    put(packet, text, length + 1);
}

cli_packet cli_packet_begin(cli_message kind)
{
    cli_packet packet = {0};
    put(&packet, &MAGIC, sizeof MAGIC);
    cli_packet_put_text(&packet, BRN_VERSION);
    put_int(&packet, kind);
    return packet;
}

void cli_packet_put_place(cli_packet *packet, const cli_rank_place *place)
{
    cli_packet_put_text(packet, place->host);
    put(packet, place->core, sizeof place->core);
}

void cli_packet_put_welcome(cli_packet *packet, const cli_welcome *welcome)
{
    put_int(packet, welcome->jobs);
    put_int(packet, welcome->threads);
    cli_packet_put_text(packet, welcome->folder);
}

void cli_packet_put_job(cli_packet *packet, const brn_design_job *job)
{
    put_int(packet, job->number);
    put_int(packet, job->full);
    put_real(packet, job->limit);
    cli_packet_put_text(packet, job->scene);
    cli_packet_put_text(packet, job->folder);
    put_int(packet, job->nset);
    for (int i = 0; i < job->nset; ++i) {
        cli_packet_put_text(packet, job->set[i]);
    }
}

void cli_packet_put_outcome(cli_packet *packet, const brn_design_outcome *outcome)
{
    put_int(packet, outcome->number);
    put_int(packet, outcome->status);
    put_int(packet, outcome->lost);
    put_real(packet, outcome->wall);
    put_real(packet, outcome->cpu);
    cli_packet_put_text(packet, outcome->reason);
}

/* ---- reading ---------------------------------------------------------------------------------------------------------- */

static void get(cli_packet *p, void *to, size_t size)
{
    memset(to, 0, size);
    if (p->failed || size > p->size - p->at) {
        p->failed = true;
        return;
    }
    memcpy(to, p->bytes + p->at, size);
    p->at += size;
}

/* 0 unless it is in the range. */
static int64_t get_int(cli_packet *p, int64_t min, int64_t max)
{
    int64_t value = 0;
    get(p, &value, sizeof value);
    if (value < min || value > max) {
        p->failed = true;
        return 0;
    }
    return value;
}

static double get_real(cli_packet *p)
{
    double value = 0.0;
    get(p, &value, sizeof value);
    return value;
}

const char *cli_packet_get_text(cli_packet *packet)
{
    const size_t length = (size_t)get_int(packet, 0, INT32_MAX);
    if (packet->failed || length >= packet->size - packet->at) {
        packet->failed = true;
        return "";
    }
    const char *text = (const char *)packet->bytes + packet->at;
    if (memchr(text, '\0', length + 1) != text + length) {
        packet->failed = true;
        return "";
    }
    packet->at += length + 1;
    return text;
}

cli_message cli_packet_kind(cli_packet *packet)
{
    uint32_t magic = 0;
    get(packet, &magic, sizeof magic);
    const char *version = cli_packet_get_text(packet);
    packet->failed = packet->failed || magic != MAGIC || strcmp(version, BRN_VERSION) != 0;
    const cli_message kind = (cli_message)get_int(packet, 0, CLI_MESSAGE_KINDS - 1);
    return packet->failed ? CLI_MESSAGE_KINDS : kind;
}

void cli_packet_get_place(cli_packet *packet, cli_rank_place *place)
{
    const char *host = cli_packet_get_text(packet);
    packet->failed = packet->failed || strlen(host) >= sizeof place->host;
    (void)snprintf(place->host, sizeof place->host, "%s", host);
    get(packet, place->core, sizeof place->core);
}

void cli_packet_get_welcome(cli_packet *packet, cli_welcome *welcome)
{
    welcome->jobs = (int)get_int(packet, 1, INT32_MAX);
    welcome->threads = (int)get_int(packet, 1, INT32_MAX);
    welcome->folder = cli_packet_get_text(packet);
}

void cli_packet_get_job(cli_packet *packet, brn_design_job *job, const char ***set)
{
    *job = (brn_design_job){.number = get_int(packet, 0, INT64_MAX)};
    job->full = get_int(packet, 0, 1) != 0;
    job->limit = get_real(packet);
    packet->failed = packet->failed || !(job->limit >= 0.0);
    job->scene = cli_packet_get_text(packet);
    job->folder = cli_packet_get_text(packet);
    /* A text takes its length and its end, so that the packet itself limits the room. */
    const size_t most = (packet->size - packet->at) / (sizeof(int64_t) + 1);
    const int64_t count = get_int(packet, 0, most < INT32_MAX ? (int64_t)most : INT32_MAX);
    *set = calloc((size_t)count + 1, sizeof **set);
    packet->failed = packet->failed || *set == NULL;
    for (int64_t i = 0; !packet->failed && i < count; ++i) {
        (*set)[i] = cli_packet_get_text(packet);
    }
    job->set = *set;
    job->nset = (int)count;
}

void cli_packet_get_outcome(cli_packet *packet, brn_design_outcome *outcome)
{
    *outcome = (brn_design_outcome){.number = get_int(packet, 0, INT64_MAX)};
    outcome->status = (brn_status)get_int(packet, INT32_MIN, INT32_MAX);
    outcome->lost = get_int(packet, 0, 1) != 0;
    outcome->wall = get_real(packet);
    outcome->cpu = get_real(packet);
    const char *reason = cli_packet_get_text(packet);
    packet->failed = packet->failed || strlen(reason) >= sizeof outcome->reason;
    (void)snprintf(outcome->reason, sizeof outcome->reason, "%s", reason);
}

bool cli_packet_whole(const cli_packet *packet)
{
    return !packet->failed && packet->at == packet->size;
}
