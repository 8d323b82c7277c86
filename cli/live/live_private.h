/* What the files of the live simulation share. */
#ifndef CLI_LIVE_PRIVATE_H
#define CLI_LIVE_PRIVATE_H

#include "live/live.h"
#include "terminal/grow_text.h"

#include <pthread.h>
#include <stdint.h>

enum { LIVE_QUEUE_MAX = 256, LIVE_ERROR_SIZE = 512 };

/* ---- commands ------------------------------------------------------------------------------------------------------ */

typedef enum live_verb {
    LIVE_ACK,
    LIVE_PAUSE,
    LIVE_RESUME,
    LIVE_STEP,
    LIVE_RESET,
    LIVE_SPEED,
    LIVE_DRAG,
    LIVE_RELEASE,
    LIVE_MOVE,
    LIVE_GRAVITY,
    LIVE_FRICTION,
    LIVE_MOTION,
    LIVE_JOINT,
    LIVE_VERBS
} live_verb;

typedef struct live_command {
    live_verb verb;
    int index[2];    /* whole numbers in the order given; friction of all pairs: -1 */
    double value[3]; /* likewise; NaN: not given */
    unsigned client; /* who is told what is wrong with it; 0: nobody */
} live_command;

/* Words and finite numbers, separated by blanks. False: *out is not a command and why says what would be. */
bool live_command_parse(const char *text, size_t length, live_command *out, char why[LIVE_ERROR_SIZE]);

/* ---- packets and pages ---------------------------------------------------------------------------------------------- */

/* Bytes sent to several pages; reference-counted under the lock. */
typedef struct live_packet {
    int holders;
    int64_t step;
    size_t size;
    char bytes[];
} live_packet;

typedef struct live_client {
    cli_live *live;
    cli_socket *socket;
    pthread_t thread; /* sends */
    /* The rest under the lock of the live simulation. */
    pthread_cond_t wake;
    unsigned serial;
    bool closing;        /* or abandoned: it gets nothing more */
    bool run_due, wants; /* must be sent the run; has drawn its frame and wants the next */
    int under_way;       /* index of the frame it has not drawn yet, -1: none */
    live_packet *packet; /* to be sent next */
    int64_t sent_step;   /* of the last frame it got, -1: none */
    int64_t dropped;     /* steps it was not sent */
    unsigned state_seen;
    bool dragging;
    char error[LIVE_ERROR_SIZE]; /* what was wrong with its last command, "" after a while */
    double error_until;          /* [s] of cli_now */
    bool state_due;              /* the error is new, or over */
} live_client;

/* What the state message says, as last set by the simulation's thread. */
typedef struct live_status {
    bool running, done;
    double speed, time, rate;
    int64_t step;
    char error[LIVE_ERROR_SIZE]; /* of a step that failed; "" */
    brn_json *controls;          /* gravity, friction, motions, movable, joints; NULL: not yet known */
} live_status;

/* A joint that has a drive. */
typedef struct live_joint {
    int number; /* in the model */
    brn_joint_facts facts;
    double range[2];  /* of targets that a person may want */
    bool by_hand;     /* its target is not the scene's */
    bool leaves;      /* goes back to the scene's target */
    double wish, aim; /* of these two: the target wanted, and how far it has come */
} live_joint;

struct cli_live {
    /* Belongs to the simulation's thread. */
    brn_ctx *ctx;
    const brn_model *model;
    brn_sim **sim;
    brn_snapshot *writing;
    live_joint *joint;
    int joints;
    /* Belongs to the encoder's thread. */
    brn_ctx *view_ctx;
    brn_view *view;
    brn_snapshot *reading;
    /* Constant. */
    live_packet *run;
    uint32_t *nodes; /* [vertices] of the run */
    int vertices;
    bool paused; /* does not start by itself */
    pthread_t simulator, encoder;
    bool threads_run;

    pthread_mutex_t lock; /* guards what follows; held for a few copies at most */
    pthread_cond_t to_simulator, to_encoder;
    bool stopping;
    /* [s] when the first page has drawn its first picture, or takes long for it; infinite before it comes */
    double start_at;
    live_command queue[LIVE_QUEUE_MAX];
    int queued;
    live_status status;
    unsigned version; /* of the status */
    /* Three snapshots rotate: one is written, one is the newest, one is read. */
    brn_snapshot *newest;
    bool fresh; /* the newest was not read yet */
    int64_t newest_step;
    int generation; /* counts resets */
    live_packet *last;
    live_client *clients[CLI_SOCKETS_MAX];
    unsigned serials;
};

/* ---- live_state.c ------------------------------------------------------------------------------------------------------ */

/* What a person can change, as an object; destroy it. NULL: no memory. */
brn_json *live_controls(const cli_live *live);
/* The message, from any thread (the ctx only allocates); error: replaces the status's own, "" if none. */
void live_state_write(brn_ctx *ctx, const live_status *status, int64_t dropped, const char *error,
                      cli_text *out);

/* ---- live_joints.c ---------------------------------------------------------------------------------------------------------- */

/* The joints that a person can move, from the simulation's start; false: stderr says why not. */
bool live_joints_find(cli_live *live);
/* Their facts and where they stand, as a list. */
void live_joints_write(const cli_live *live, brn_json *out);
brn_status live_joint_aim(cli_live *live, int number, double target); /* NaN: as the scene says again */
brn_status live_joints_move(cli_live *live, double seconds);          /* targets for the step to come */
void live_joints_leave(cli_live *live);                               /* after a reset */

/* ---- live.c ---------------------------------------------------------------------------------------------------------------- */

/* Waits until woken or the time [s] is up; infinity: for ever. The condition comes from live_condition_init. */
void live_wait(pthread_cond_t *condition, pthread_mutex_t *lock, double seconds);
bool live_condition_init(pthread_cond_t *condition);

/* ---- live_pages.c ------------------------------------------------------------------------------------------------------ */

void *live_encode(void *live); /* thread */
live_packet *live_packet_create(const void *bytes, size_t size, int64_t step);
void live_packet_drop(live_packet *packet); /* under the lock; NULL is fine */
/* All of these under the lock. */
bool live_frame_wanted(const cli_live *live); /* a page waits for a state that no snapshot has yet */
void live_tell_pages(cli_live *live);         /* the status has changed */
void live_pages_restart(cli_live *live);      /* after a reset: everything starts over */
/* For a few seconds. client 0: to all. */
void live_tell_error(cli_live *live, unsigned client, const char *why);

/* ---- live_simulate.c -------------------------------------------------------------------------------------------------------------- */

void *live_simulate(void *live); /* thread */
/* Under the lock. False: the queue is full. */
bool live_command_queue(cli_live *live, const live_command *command);

#endif
