#define _GNU_SOURCE 1 /* sched_getaffinity */
#include "study/ranks.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- messages --------------------------------------------------------------------------------------------------------- */

bool cli_ranks_send(const cli_mpi *mpi, int to, cli_packet *packet)
{
    const bool sent = !packet->failed && mpi->send(to, packet->bytes, packet->size);
    cli_packet_free(packet);
    return sent;
}

int cli_ranks_receive(const cli_mpi *mpi, int *from, cli_packet *packet)
{
    *packet = (cli_packet){0};
    const int there = mpi->poll(from, &packet->size);
    if (there <= 0) {
        return there;
    }
    packet->bytes = malloc(packet->size + 1);
    if (packet->bytes == NULL || !mpi->receive(*from, packet->bytes, packet->size)) {
        cli_packet_free(packet);
        return -1;
    }
    return 1;
}

/* ---- cores ------------------------------------------------------------------------------------------------------------ */

void cli_rank_place_get(cli_rank_place *place)
{
    *place = (cli_rank_place){0};
    (void)gethostname(place->host, sizeof place->host - 1);
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) {
        CPU_ZERO(&set);
        CPU_SET(0, &set);
    }
    for (int i = 0; i < CLI_CORES_MAX && i < CPU_SETSIZE; ++i) {
        place->core[i / 8] |= (unsigned char)(CPU_ISSET(i, &set) ? 1 << i % 8 : 0);
    }
}

/* Cores that both may use. */
static int common(const cli_rank_place *a, const cli_rank_place *b)
{
    int count = 0;
    for (int i = 0; i < CLI_CORES_MAX; ++i) {
        count += (a->core[i / 8] & b->core[i / 8]) >> i % 8 & 1;
    }
    return strcmp(a->host, b->host) == 0 ? count : 0;
}

int cli_ranks_share(const cli_rank_place *places, int count, int rank)
{
    const int cores = common(&places[rank], &places[rank]);
    int sharing = 0, before = 0;
    for (int i = 0; i < count; ++i) {
        const bool shares = i == rank || common(&places[i], &places[rank]) > 0;
        sharing += shares;
        before += shares && i < rank;
    }
    /* The first ranks have one more where it does not come out even. */
    const int share = (cores + sharing - 1 - before) / sharing;
    return share > 0 ? share : 1;
}

int cli_ranks_machines(const cli_rank_place *places, int count)
{
    int machines = 0;
    for (int i = 0; i < count; ++i) {
        bool seen = false;
        for (int k = 0; k < i; ++k) {
            seen = seen || strcmp(places[k].host, places[i].host) == 0;
        }
        machines += !seen;
    }
    return machines;
}
