/* Messages between the ranks of a study, as bytes. All ranks are the same build of brunt, which the first message checks; every length
   is checked all the same. */
#ifndef CLI_WIRE_H
#define CLI_WIRE_H

#include <brunt/design.h>

typedef enum cli_message {
    CLI_HELLO,    /* a worker: cli_rank_place */
    CLI_WELCOME,  /* the driver: cli_welcome */
    CLI_READY,    /* a worker: what hinders it, or "" */
    CLI_JOB,      /* the driver */
    CLI_OUTCOME,  /* a worker */
    CLI_STOP,     /* the driver: stop all simulations, and tell so */
    CLI_STOPPING, /* a worker: somebody asks it to stop */
    CLI_END,      /* the driver: nothing more will come */
    CLI_MESSAGE_KINDS
} cli_message;

enum { CLI_CORES_MAX = 1024, CLI_HOST_SIZE = 256 };

/* Where a rank is. */
typedef struct cli_rank_place {
    char host[CLI_HOST_SIZE];
    unsigned char core[CLI_CORES_MAX / 8]; /* a bit a core that it may use */
} cli_rank_place;

typedef struct cli_welcome {
    int jobs, threads;
    const char *folder; /* to work in */
} cli_welcome;

/* Bytes that grow, or are read from `at` on. What fails is remembered. */
typedef struct cli_packet {
    unsigned char *bytes;
    size_t size, room, at;
    bool failed; /* no memory; or: not what it should be */
} cli_packet;

void cli_packet_free(cli_packet *packet);

/* Writing: the kind, then its parts. */
cli_packet cli_packet_begin(cli_message kind);
void cli_packet_put_place(cli_packet *packet, const cli_rank_place *place);
void cli_packet_put_welcome(cli_packet *packet, const cli_welcome *welcome);
void cli_packet_put_text(cli_packet *packet, const char *text);
void cli_packet_put_job(cli_packet *packet, const brn_design_job *job);
void cli_packet_put_outcome(cli_packet *packet, const brn_design_outcome *outcome);

/* Reading: texts stay in the packet. CLI_MESSAGE_KINDS: not a message of this build. */
cli_message cli_packet_kind(cli_packet *packet);
void cli_packet_get_place(cli_packet *packet, cli_rank_place *place);
void cli_packet_get_welcome(cli_packet *packet, cli_welcome *welcome);
const char *cli_packet_get_text(cli_packet *packet); /* "" if it has failed */
/* free(*set) when the job is done with, also if it has failed. */
void cli_packet_get_job(cli_packet *packet, brn_design_job *job, const char ***set);
void cli_packet_get_outcome(cli_packet *packet, brn_design_outcome *outcome);
/* All of it was read, and nothing failed. */
bool cli_packet_whole(const cli_packet *packet);

#endif
