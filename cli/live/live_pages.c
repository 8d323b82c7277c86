/* The pages that watch the simulation. A page has at most one frame in flight: when it reports it drawn, it gets the newest,
   and what came between is dropped. Frames are encoded on demand, once for all pages that wait. Sending may wait for a slow
   page, so each has a thread for it, which holds no lock meanwhile. */
#include "live/live_private.h"

#include "server/server_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double error_seconds = 3.0;    /* how long a page is told what was wrong with its command */
static const double patience_seconds = 3.0; /* how long the start waits for the first page to show it */

/* ---- packets -------------------------------------------------------------------------------------------------------- */

live_packet *live_packet_create(const void *bytes, size_t size, int64_t step)
{
    live_packet *packet = size < SIZE_MAX / 2 ? malloc(sizeof *packet + size) : NULL;
    if (packet != NULL) {
        *packet = (live_packet){.holders = 1, .step = step, .size = size};
        memcpy(packet->bytes, bytes, size);
    }
    return packet;
}

void live_packet_drop(live_packet *packet)
{
    if (packet != NULL && --packet->holders == 0) {
        free(packet);
    }
}

static live_packet *hold(live_packet *packet)
{
    ++packet->holders;
    return packet;
}

/* ---- what the pages are told, all under the lock ------------------------------------------------------------------------ */

bool live_frame_wanted(const cli_live *live)
{
    for (int i = 0; i < CLI_SOCKETS_MAX; ++i) {
        const live_client *c = live->clients[i];
        if (c != NULL && !c->closing && c->wants && !live->fresh) {
            return true;
        }
    }
    return false;
}

void live_tell_pages(cli_live *live)
{
    ++live->version;
    for (int i = 0; i < CLI_SOCKETS_MAX; ++i) {
        if (live->clients[i] != NULL) {
            (void)pthread_cond_signal(&live->clients[i]->wake);
        }
    }
}

void live_pages_restart(cli_live *live)
{
    ++live->generation;
    live->fresh = false;
    live_packet_drop(live->last);
    live->last = NULL;
    for (int i = 0; i < CLI_SOCKETS_MAX; ++i) {
        live_client *c = live->clients[i];
        if (c != NULL) {
            live_packet_drop(c->packet);
            c->packet = NULL;
            c->run_due = true;
            c->wants = c->dragging = false;
            c->sent_step = c->under_way = -1;
            c->dropped = 0;
        }
    }
}

void live_tell_error(cli_live *live, unsigned client, const char *why)
{
    for (int i = 0; i < CLI_SOCKETS_MAX; ++i) {
        live_client *c = live->clients[i];
        if (c != NULL && (client == 0 || c->serial == client)) {
            (void)snprintf(c->error, sizeof c->error, "%s", why);
            c->error_until = cli_now() + error_seconds;
            c->state_due = true;
            (void)pthread_cond_signal(&c->wake);
        }
    }
}

/* ---- encoding ---------------------------------------------------------------------------------------------------------- */

/* Hands the last packet to everyone who waits and does not have it yet. True: somebody still waits. */
static bool hand_out(cli_live *live)
{
    bool waiting = false;
    for (int i = 0; i < CLI_SOCKETS_MAX; ++i) {
        live_client *c = live->clients[i];
        if (c == NULL || c->closing || !c->wants) {
            continue;
        }
        /* Unless a newer state is at hand, which will be encoded in a moment. */
        if (!live->fresh && live->last != NULL && live->last->step > c->sent_step) {
            c->wants = false;
            c->packet = hold(live->last);
            (void)pthread_cond_signal(&c->wake);
        } else {
            waiting = true;
        }
    }
    return waiting;
}

/* Takes the newest snapshot and makes the last packet of it. */
static void encode_newest(cli_live *live)
{
    brn_snapshot *snapshot = live->newest;
    live->newest = live->reading;
    live->reading = snapshot;
    live->fresh = false;
    const int generation = live->generation;
    const int64_t step = live->newest_step;

    (void)pthread_mutex_unlock(&live->lock);
    const void *bytes = NULL;
    size_t size = 0;
    const brn_status status = brn_view_snapshot(live->view, snapshot, (int)step, &bytes, &size);
    live_packet *packet = status >= 0 ? live_packet_create(bytes, size, step) : NULL;
    (void)pthread_mutex_lock(&live->lock);

    /* A reset in between has made it a frame of another run. */
    if (packet != NULL && generation == live->generation) {
        live_packet_drop(live->last);
        live->last = hold(packet);
    }
    live_packet_drop(packet);
}

void *live_encode(void *user)
{
    cli_live *live = user;
    (void)pthread_mutex_lock(&live->lock);
    while (!live->stopping) {
        if (hand_out(live) && live->fresh) {
            encode_newest(live);
            continue;
        }
        /* Somebody may want more than there is. */
        (void)pthread_cond_signal(&live->to_simulator);
        (void)pthread_cond_wait(&live->to_encoder, &live->lock);
    }
    (void)pthread_mutex_unlock(&live->lock);
    return NULL;
}

/* ---- sending -------------------------------------------------------------------------------------------------------------- */

typedef struct message {
    live_packet *packet; /* or a text */
    cli_text text;
    bool is_run;
} message;

/* The next thing to send, under the lock: the run before its frames, the state before a frame, so that a page that draws
   slowly is still told what happens. False: nothing. */
static bool next_message(live_client *c, message *out)
{
    cli_live *live = c->live;
    *out = (message){0};
    if (c->error[0] != '\0' && cli_now() > c->error_until) {
        c->error[0] = '\0';
        c->state_due = true;
    }
    if (c->run_due) {
        c->run_due = false;
        out->is_run = true;
        out->packet = hold(live->run);
    } else if (c->state_seen != live->version || c->state_due) {
        c->state_seen = live->version;
        c->state_due = false;
        live_state_write(live->ctx, &live->status, c->dropped, c->error, &out->text);
    } else if (c->packet != NULL) {
        out->packet = c->packet;
        c->packet = NULL;
        const int64_t missed = c->sent_step >= 0 ? out->packet->step - c->sent_step - 1 : 0;
        c->dropped += missed;
        c->state_due = missed > 0;
        c->sent_step = out->packet->step;
        c->under_way = (int)out->packet->step;
    } else {
        return false;
    }
    return true;
}

static bool send_message(live_client *c, const message *m)
{
    if (m->packet != NULL) {
        return cli_socket_send(c->socket, true, m->packet->bytes, m->packet->size);
    }
    return m->text.failed || cli_socket_send(c->socket, false, m->text.bytes, m->text.size);
}

static void *send_messages(void *user)
{
    live_client *c = user;
    cli_live *live = c->live;
    (void)pthread_mutex_lock(&live->lock);
    while (!c->closing && !live->stopping) {
        message m;
        if (!next_message(c, &m)) {
            live_wait(&c->wake, &live->lock,
                      c->error[0] != '\0' ? c->error_until - cli_now() + 0.01 : INFINITY);
            continue;
        }
        const int generation = live->generation;
        (void)pthread_mutex_unlock(&live->lock);
        const bool sent = send_message(c, &m);
        (void)pthread_mutex_lock(&live->lock);
        live_packet_drop(m.packet);
        cli_text_free(&m.text);
        c->closing = c->closing || !sent;
        if (m.is_run && generation == live->generation) {
            c->wants = true;
            (void)pthread_cond_signal(&live->to_encoder);
        }
    }
    (void)pthread_mutex_unlock(&live->lock);
    return NULL;
}

/* ---- what the server asks for ------------------------------------------------------------------------------------------------ */

static void *page_opened(void *user, cli_socket *socket)
{
    cli_live *live = user;
    live_client *c = calloc(1, sizeof *c);
    if (c == NULL || !live_condition_init(&c->wake)) {
        free(c);
        return NULL;
    }
    c->live = live;
    c->socket = socket;
    c->run_due = true;
    c->sent_step = c->under_way = -1;
    int place = -1;
    (void)pthread_mutex_lock(&live->lock);
    for (int i = 0; i < CLI_SOCKETS_MAX && place < 0; ++i) {
        place = live->clients[i] == NULL ? i : -1;
    }
    c->serial = ++live->serials;
    c->state_seen = live->version - 1;
    if (place >= 0 && !live->stopping && pthread_create(&c->thread, NULL, send_messages, c) == 0) {
        live->clients[place] = c;
        live->start_at = fmin(live->start_at, cli_now() + patience_seconds);
        (void)pthread_cond_signal(&live->to_simulator);
    } else {
        place = -1;
    }
    (void)pthread_mutex_unlock(&live->lock);
    if (place < 0) {
        (void)pthread_cond_destroy(&c->wake);
        free(c);
        return NULL;
    }
    return c;
}

static void page_closed(void *client)
{
    live_client *c = client;
    cli_live *live = c->live;
    (void)pthread_mutex_lock(&live->lock);
    c->closing = true;
    (void)pthread_cond_signal(&c->wake);
    (void)pthread_mutex_unlock(&live->lock);
    (void)pthread_join(c->thread, NULL);

    (void)pthread_mutex_lock(&live->lock);
    for (int i = 0; i < CLI_SOCKETS_MAX; ++i) {
        if (live->clients[i] == c) {
            live->clients[i] = NULL;
        }
    }
    /* Nobody else would release the drag. */
    if (c->dragging) {
        (void)live_command_queue(live, &(live_command){.verb = LIVE_RELEASE});
    }
    live_packet_drop(c->packet);
    (void)pthread_mutex_unlock(&live->lock);
    (void)pthread_cond_destroy(&c->wake);
    free(c);
}

/* A late reply about a frame from before a reset is not an error. */
static void acknowledge(live_client *c, int index)
{
    if (c->under_way >= 0 && c->under_way == index) {
        c->under_way = -1;
        c->wants = true;
        (void)pthread_cond_signal(&c->live->to_encoder);
    }
    if (c->live->start_at > cli_now()) {
        c->live->start_at = cli_now();
        (void)pthread_cond_signal(&c->live->to_simulator);
    }
}

static bool page_said(void *client, const char *text, size_t length)
{
    live_client *c = client;
    cli_live *live = c->live;
    live_command command;
    char why[LIVE_ERROR_SIZE];
    const bool valid = live_command_parse(text, length, &command, why);
    (void)pthread_mutex_lock(&live->lock);
    if (!valid) {
        live_tell_error(live, c->serial, why);
    } else if (command.verb == LIVE_ACK) {
        acknowledge(c, command.index[0]);
    } else {
        command.client = c->serial;
        if (!live_command_queue(live, &command)) {
            live_tell_error(live, c->serial, "too many commands are waiting for the end of this step");
        } else if (command.verb == LIVE_DRAG || command.verb == LIVE_RELEASE) {
            c->dragging = command.verb == LIVE_DRAG;
        }
    }
    (void)pthread_mutex_unlock(&live->lock);
    return true;
}

static void page_run(void *user, cli_answer *answer)
{
    const cli_live *live = user;
    answer->bytes = malloc(live->run->size);
    if (answer->bytes == NULL) {
        answer->status = 503;
        (void)snprintf(answer->why, sizeof answer->why, "out of memory");
        return;
    }
    memcpy(answer->bytes, live->run->bytes, live->run->size);
    answer->size = live->run->size;
    answer->status = 200;
}

cli_service cli_live_service(cli_live *live)
{
    return (cli_service){
        .user = live, .run = page_run, .opened = page_opened, .said = page_said, .closed = page_closed};
}
