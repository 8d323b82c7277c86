/* A small HTTP and WebSocket server for the viewer's page: 127.0.0.1 only, a random token in every address, no access
   to the disk. Addresses and refusals are those of docs/viewer.md. Used by `brunt view`, and to let the page draw pictures
   (POST shot/N). Calls of the service come from the server's threads, several at a time. */
#ifndef CLI_SERVER_H
#define CLI_SERVER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cli_server cli_server;
typedef struct cli_socket cli_socket; /* a WebSocket that is open */

enum {
    CLI_SOCKETS_MAX = 8,     /* WebSockets at a time */
    CLI_COMMAND_MAX = 256,   /* bytes of a text received on a WebSocket */
    CLI_PATIENCE = 5,        /* [s] for a request's head, and for a client that receives nothing */
    CLI_INDEX_MAX = 99999999 /* frame/N, shot/N */
};

/* An answer: bytes that the server frees after sending, or NULL and a line that says why. */
typedef struct cli_answer {
    int status; /* of HTTP: 200, 404, ... */
    void *bytes;
    size_t size;
    char why[512];
} cli_answer;

/* What is served. NULL calls have no address: 404 (for the page: the viewer's own). */
typedef struct cli_service {
    void *user;
    /* The page, if not the viewer's own: one that contains its data. */
    void (*page)(void *user, cli_answer *answer);
    void (*run)(void *user, cli_answer *answer);
    void (*frame)(void *user, int index, cli_answer *answer);
    /* The page posts its picture: at most shot_max bytes. Answers 204, or why not. */
    void (*shot)(void *user, int index, const void *bytes, size_t size, cli_answer *answer);
    size_t shot_max;
    /* A WebSocket opens; returns what is handed to `said` and `closed`, NULL refuses it. It may be sent to until `closed`
       returns. `said` gets each text message, not '\0'-terminated; false closes. */
    void *(*opened)(void *user, cli_socket *socket);
    bool (*said)(void *client, const char *text, size_t length);
    void (*closed)(void *client);
} cli_service;

/* Listens on 127.0.0.1:port (0: a free port). The service is copied. NULL: it could not be started, and stderr says why.
   Blocks SIGPIPE's effect in the process. Threads inherit the signal mask of the caller. */
cli_server *cli_server_start(const cli_service *service, int port);
/* Closes the WebSockets, ends all threads. NULL is fine. */
void cli_server_stop(cli_server *server);
/* "http://127.0.0.1:PORT/TOKEN/". */
const char *cli_server_url(const cli_server *server);
/* An address that leads to the page once, within a minute: safe to show others who list the processes of this machine, as
   in a browser's command line. */
const char *cli_server_invite(cli_server *server);
int cli_server_port(const cli_server *server);

/* One message; waits for a slow client CLI_PATIENCE seconds at most, so hold no lock. False: it
   was not sent and the connection is abandoned; `closed` will come. */
bool cli_socket_send(cli_socket *socket, bool binary, const void *bytes, size_t size);

#endif
