#include "server/server_private.h"

#include "terminal/terminal.h"

#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { INVITE_SECONDS = 60, CLOSE_GOING_AWAY = 1001, CLOSE_UNSUPPORTED = 1003 };

double cli_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* 128 random bits in hex. */
static bool make_token(char token[CLI_TOKEN_SIZE + 1])
{
    unsigned char bits[CLI_TOKEN_SIZE / 2];
    if (getrandom(bits, sizeof bits, 0) != (ssize_t)sizeof bits) {
        return false;
    }
    for (size_t i = 0; i < sizeof bits; ++i) {
        (void)snprintf(token + 2 * i, 3, "%02x", bits[i]);
    }
    return true;
}

/* ---- WebSockets --------------------------------------------------------------------------------------------------- */

/* The library's own lock keeps a message in one piece. */
static bool send_message(struct mg_connection *connection, int opcode, const void *bytes, size_t size)
{
    const int sent = mg_websocket_write(connection, opcode, bytes, size);
    return size == 0 ? sent > 0 : sent > 0 && (size_t)sent == size;
}

static void send_close(struct mg_connection *connection, int code)
{
    const unsigned char bytes[2] = {(unsigned char)(code >> 8), (unsigned char)(code & 255)};
    (void)send_message(connection, MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE, bytes, sizeof bytes);
}

bool cli_socket_send(cli_socket *socket, bool binary, const void *bytes, size_t size)
{
    const int opcode = binary ? MG_WEBSOCKET_OPCODE_BINARY : MG_WEBSOCKET_OPCODE_TEXT;
    cli_server *server = socket->server;
    (void)pthread_mutex_lock(&server->lock);
    const bool allowed = !server->stopping;
    socket->sending += allowed;
    (void)pthread_mutex_unlock(&server->lock);
    const bool sent = allowed && send_message(socket->connection, opcode, bytes, size);
    (void)pthread_mutex_lock(&server->lock);
    socket->sending -= allowed;
    (void)pthread_mutex_unlock(&server->lock);
    if (!sent) {
        /* Part of a message may have been sent: nothing after it would be understood. The reading thread will notice soon. */
        mg_disable_connection_keep_alive(socket->connection);
    }
    return sent;
}

/* Takes a slot for the connection; NULL: all are taken, or no memory. */
static cli_socket *take_place(cli_server *server, struct mg_connection *connection)
{
    cli_socket *socket = calloc(1, sizeof *socket);
    bool placed = false;
    (void)pthread_mutex_lock(&server->lock);
    for (int i = 0; socket != NULL && !server->stopping && !placed && i < CLI_SOCKETS_MAX; ++i) {
        if (server->sockets[i] == NULL) {
            *socket = (cli_socket){.server = server, .connection = connection};
            server->sockets[i] = socket;
            placed = true;
        }
    }
    (void)pthread_mutex_unlock(&server->lock);
    if (!placed) {
        free(socket);
    }
    return placed ? socket : NULL;
}

static void leave_place(cli_server *server, const cli_socket *socket)
{
    (void)pthread_mutex_lock(&server->lock);
    for (int i = 0; i < CLI_SOCKETS_MAX; ++i) {
        if (server->sockets[i] == socket) {
            server->sockets[i] = NULL;
        }
    }
    (void)pthread_mutex_unlock(&server->lock);
}

static void on_ready(struct mg_connection *connection, void *user)
{
    cli_server *server = user;
    cli_socket *socket = take_place(server, connection);
    mg_set_user_connection_data(connection, socket);
    if (socket != NULL) {
        socket->client = server->service.opened(server->service.user, socket);
    }
    if (socket == NULL || socket->client == NULL) {
        send_close(connection, CLOSE_GOING_AWAY);
        mg_disable_connection_keep_alive(connection);
    }
}

static int on_data(struct mg_connection *connection, int bits, char *data, size_t size, void *user)
{
    (void)user;
    enum { FINAL_TEXT = 0x80 | MG_WEBSOCKET_OPCODE_TEXT };
    cli_socket *socket = mg_get_user_connection_data(connection);
    const int opcode = bits & 15;
    if (socket == NULL || socket->client == NULL || opcode == MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE) {
        send_close(connection, CLOSE_GOING_AWAY);
        return 0;
    }
    /* A command is one short text: anything in parts, compressed or binary is not one. */
    if ((bits & 0xff) != FINAL_TEXT) {
        send_close(connection, CLOSE_UNSUPPORTED);
        return 0;
    }
    return socket->server->service.said(socket->client, data, size) ? 1 : 0;
}

static void on_close(const struct mg_connection *connection, void *user)
{
    cli_server *server = user;
    cli_socket *socket = mg_get_user_connection_data(connection);
    if (socket == NULL) {
        return;
    }
    leave_place(server, socket);
    if (socket->client != NULL) {
        server->service.closed(socket->client);
    }
    mg_set_user_connection_data(connection, NULL);
    free(socket);
}

/* ---- start and stop ----------------------------------------------------------------------------------------------- */

/* Nothing is ever logged; before the start is done, the last message may say why it failed. */
static int on_log(const struct mg_connection *connection, const char *message)
{
    cli_server *server = mg_get_user_context_data(connection);
    if (server != NULL && !atomic_load(&server->ready)) {
        (void)snprintf(server->problem, sizeof server->problem, "%s", message);
    }
    return 1;
}

static void write_addresses(cli_server *server)
{
    (void)snprintf(server->host[0], sizeof server->host[0], "127.0.0.1:%d", server->port);
    (void)snprintf(server->host[1], sizeof server->host[1], "localhost:%d", server->port);
    (void)snprintf(server->url, sizeof server->url, "http://%s/%s/", server->host[0], server->token);
    /* The page is one file with its script and style inside; it talks to this server only. */
    (void)snprintf(server->policy, sizeof server->policy,
                   "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
                   "img-src data: blob:; media-src blob:; font-src data:; worker-src blob:; "
                   "connect-src 'self' data: blob: ws://%s ws://%s; "
                   "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
                   server->host[0], server->host[1]);
}

static bool start_library(cli_server *server, int port)
{
    char address[32], seconds[16];
    (void)snprintf(address, sizeof address, "127.0.0.1:%d", port);
    (void)snprintf(seconds, sizeof seconds, "%d", 1000 * CLI_PATIENCE);
    /* A connection that dawdles holds one of the threads for CLI_PATIENCE seconds: there are many more than browsers open. */
    const char *options[] = {"listening_ports",
                             address,
                             "num_threads",
                             "100",
                             "connection_queue",
                             "64",
                             "max_request_size",
                             "16384",
                             "request_timeout_ms",
                             seconds,
                             "websocket_timeout_ms",
                             "5000",
                             "enable_websocket_ping_pong",
                             "yes",
                             "enable_keep_alive",
                             "no",
                             "tcp_nodelay",
                             "1",
                             "decode_url",
                             "no",
                             "enable_auth_domain_check",
                             "no",
                             "access_control_allow_origin",
                             "",
                             "access_control_allow_methods",
                             "",
                             "access_control_allow_headers",
                             "",
                             "enable_directory_listing",
                             "no",
                             NULL};
    const struct mg_callbacks callbacks = {
        .begin_request = cli_request, .http_error = cli_request_error, .log_message = on_log};
    server->context = mg_start(&callbacks, server, options);
    struct mg_server_port bound[2];
    if (server->context == NULL) {
        cli_error("cannot listen on %s%s%s", address, server->problem[0] != '\0' ? ": " : "",
                  server->problem);
        (void)fprintf(stderr, port != 0 ? "without --port, a free port is chosen\n"
                                        : "is the network interface 'lo' up?\n");
        return false;
    }
    if (mg_get_server_ports(server->context, 2, bound) != 1) {
        cli_error("cannot tell the port of 127.0.0.1");
        return false;
    }
    server->port = bound[0].port;
    return true;
}

cli_server *cli_server_start(const cli_service *service, int port)
{
    cli_server *server = calloc(1, sizeof *server);
    if (server == NULL || pthread_mutex_init(&server->lock, NULL) != 0) {
        cli_error("out of memory");
        free(server);
        return NULL;
    }
    server->service = *service;
    (void)mg_init_library(MG_FEATURES_DEFAULT);
    (void)signal(SIGPIPE, SIG_IGN);
    if (!make_token(server->token)) {
        cli_error("the system gives no random numbers");
        cli_server_stop(server);
        return NULL;
    }
    if (!start_library(server, port)) {
        cli_server_stop(server);
        return NULL;
    }
    write_addresses(server);
    char path[CLI_TOKEN_SIZE + 8];
    (void)snprintf(path, sizeof path, "/%s/live", server->token);
    if (service->opened != NULL) {
        mg_set_websocket_handler(server->context, path, NULL, on_ready, on_data, on_close, server);
    }
    atomic_store(&server->ready, true);
    return server;
}

/* The accepting thread checks only every other second whether to end: callers wake it up. */
static void *knock(void *user)
{
    cli_server *server = user;
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)server->port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (int i = 0; i < 100 && !atomic_load(&server->stopped); ++i) {
        (void)nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        const int door = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (door >= 0) {
            (void)connect(door, (const struct sockaddr *)&address, sizeof address);
            (void)close(door);
        }
    }
    return NULL;
}

static void stop_library(cli_server *server)
{
    pthread_t knocker;
    const bool knocks = pthread_create(&knocker, NULL, knock, server) == 0;
    mg_stop(server->context);
    atomic_store(&server->stopped, true);
    if (knocks) {
        (void)pthread_join(knocker, NULL);
    }
}

void cli_server_stop(cli_server *server)
{
    if (server == NULL) {
        return;
    }
    /* A page told to go closes at once; otherwise we would wait for the reading threads. One that is stuck receiving is not told.
       The lock keeps the connections alive: they are removed under it. */
    (void)pthread_mutex_lock(&server->lock);
    server->stopping = true;
    for (int i = 0; i < CLI_SOCKETS_MAX; ++i) {
        if (server->sockets[i] != NULL && server->sockets[i]->sending == 0) {
            send_close(server->sockets[i]->connection, CLOSE_GOING_AWAY);
        }
    }
    (void)pthread_mutex_unlock(&server->lock);
    if (server->context != NULL) {
        stop_library(server);
    }
    (void)mg_exit_library();
    (void)pthread_mutex_destroy(&server->lock);
    free(server);
}

const char *cli_server_url(const cli_server *server)
{
    return server->url;
}

int cli_server_port(const cli_server *server)
{
    return server->port;
}

const char *cli_server_invite(cli_server *server)
{
    char token[CLI_TOKEN_SIZE + 1];
    if (!make_token(token)) {
        return server->url;
    }
    (void)pthread_mutex_lock(&server->lock);
    memcpy(server->once, token, sizeof token);
    server->once_until = cli_now() + INVITE_SECONDS;
    (void)snprintf(server->invite, sizeof server->invite, "http://%s/%s", server->host[0], token);
    (void)pthread_mutex_unlock(&server->lock);
    return server->invite;
}
