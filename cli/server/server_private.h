/* What the files of the server share. */
#ifndef CLI_SERVER_PRIVATE_H
#define CLI_SERVER_PRIVATE_H

#include "server/server.h"

#include <civetweb.h>
#include <pthread.h>
#include <stdatomic.h>

enum {
    CLI_TOKEN_SIZE = 32,
    CLI_CHUNK = 1 << 18
}; /* 128 bits in hex; bytes written between checks of the clock */

struct cli_socket {
    cli_server *server;
    struct mg_connection *connection;
    void *client;
    int sending; /* messages that are being written; under the server's lock */
};

struct cli_server {
    cli_service service;
    struct mg_context *context;
    atomic_bool stopped;
    atomic_bool ready; /* what follows is written before it is set */
    int port;
    char token[CLI_TOKEN_SIZE + 1];
    char url[96], invite[96];
    char host[2][32];  /* "127.0.0.1:PORT", "localhost:PORT" */
    char policy[512];  /* of the page: what it may load */
    char problem[256]; /* the library's last message before it was ready */

    pthread_mutex_t lock; /* what follows */
    cli_socket *sockets[CLI_SOCKETS_MAX];
    bool stopping;
    char once[CLI_TOKEN_SIZE + 1]; /* the invitation's token, "" once it is used */
    double once_until;             /* [s] of cli_now */
};

double cli_now(void); /* [s] of a clock that only goes forward */

/* Answers the request, or returns 0 if it is a WebSocket that may be opened. */
int cli_request(struct mg_connection *connection);
/* What the library itself refuses: malformed requests. */
int cli_request_error(struct mg_connection *connection, int status, const char *message);

#endif
