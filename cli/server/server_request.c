/* One request: who may ask, what for, and the answer. Nothing here opens a file, so there is no path to escape from: an
   address is compared byte by byte with the few that exist, and it is never decoded. */
#include "server/server_private.h"

#include <brunt/brunt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { POST_SECONDS = 30 }; /* for the whole body of a picture, and for the whole of an answer */

typedef struct request {
    cli_server *server;
    struct mg_connection *connection;
    const struct mg_request_info *info;
    bool head, post;
    int index;
} request;

/* ---- answers ------------------------------------------------------------------------------------------------------ */

static const char *const type_html = "text/html; charset=utf-8";
static const char *const type_text = "text/plain; charset=utf-8";
static const char *const type_bytes = "application/octet-stream";
static const char *const policy_none = "default-src 'none'; frame-ancestors 'none'";

/* In pieces, so that a client that reads a byte now and then cannot hold a thread for ever. */
static bool write_all(struct mg_connection *connection, const char *bytes, size_t size)
{
    const double until = cli_now() + POST_SECONDS;
    for (size_t done = 0; done < size;) {
        const size_t piece = size - done < CLI_CHUNK ? size - done : CLI_CHUNK;
        if (mg_write(connection, bytes + done, piece) != (int)piece || cli_now() > until) {
            return false;
        }
        done += piece;
    }
    return true;
}

/* extra: further header lines, each with its end. Returns the status. */
static int reply(struct mg_connection *connection, int status, const char *type, const char *policy,
                 const char *extra, const void *bytes, size_t size, bool head)
{
    char top[1536];
    const int length =
        snprintf(top, sizeof top,
                 "HTTP/1.1 %d %s\r\n"
                 "Content-Type: %s\r\n"
                 "Content-Length: %zu\r\n"
                 "Connection: close\r\n"
                 "Cache-Control: no-store\r\n"
                 "X-Content-Type-Options: nosniff\r\n"
                 "Referrer-Policy: no-referrer\r\n"
                 "Cross-Origin-Resource-Policy: same-origin\r\n"
                 "Cross-Origin-Opener-Policy: same-origin\r\n"
                 "Content-Security-Policy: %s\r\n"
                 "%s\r\n",
                 status, mg_get_response_code_text(connection, status), type, size, policy, extra);
    /* One request per connection: anything a client sends after it is ignored. */
    mg_disable_connection_keep_alive(connection);
    if (length > 0 && length < (int)sizeof top && write_all(connection, top, (size_t)length) && !head) {
        (void)write_all(connection, bytes, size);
    }
    return status;
}

static int refuse(const request *r, int status, const char *why)
{
    char line[600];
    const int length = snprintf(line, sizeof line, "%s\n", why);
    const char *extra = status != 405                     ? ""
                        : r->server->service.shot != NULL ? "Allow: GET, HEAD, POST\r\n"
                                                          : "Allow: GET, HEAD\r\n";
    return reply(r->connection, status, type_text, policy_none, extra, line, (size_t)length, r->head);
}

static int refuse_unknown(const request *r)
{
    return refuse(r, 404, "there is nothing here");
}

/* Sends what the service handed over, and frees it. */
static int pass_on(const request *r, cli_answer *answer)
{
    const bool done = answer->status >= 200 && answer->status < 300;
    const int status = done ? reply(r->connection, answer->status, type_bytes, policy_none, "", answer->bytes,
                                    answer->bytes != NULL ? answer->size : 0, r->head)
                            : refuse(r, answer->status, answer->why);
    free(answer->bytes);
    return status;
}

int cli_request_error(struct mg_connection *connection, int status, const char *message)
{
    (void)message; /* may quote the request */
    (void)reply(connection, status, type_text, policy_none, "", "bad request\n", 12, false);
    return 0;
}

/* ---- who may ask -------------------------------------------------------------------------------------------------- */

/* The value of a header; NULL if there is none, "" (which is never right) if there are two. */
static const char *header(const request *r, const char *name)
{
    const char *value = NULL;
    for (int i = 0; i < r->info->num_headers && i < MG_MAX_HEADERS; ++i) {
        if (strcasecmp(r->info->http_headers[i].name, name) == 0) {
            value = value == NULL ? r->info->http_headers[i].value : "";
        }
    }
    return value;
}

/* A page of another site whose name was made to point to 127.0.0.1 gives that name as Host. */
static bool host_is_ours(const request *r)
{
    const char *host = header(r, "Host");
    return host != NULL &&
           (strcasecmp(host, r->server->host[0]) == 0 || strcasecmp(host, r->server->host[1]) == 0);
}

/* Browsers name the requesting page whenever it could be another's: with every WebSocket and every POST. Other programs
   need not. */
static bool origin_is_ours(const request *r)
{
    static const char scheme[] = "http://";
    const char *origin = header(r, "Origin");
    if (origin == NULL) {
        return true;
    }
    return strncasecmp(origin, scheme, sizeof scheme - 1) == 0 &&
           (strcasecmp(origin + sizeof scheme - 1, r->server->host[0]) == 0 ||
            strcasecmp(origin + sizeof scheme - 1, r->server->host[1]) == 0);
}

/* Takes equally long for any wrong token, whether or not its first letters are right. */
static bool same_token(const char *text, const char *token)
{
    unsigned char difference = 0;
    for (int i = 0; i < CLI_TOKEN_SIZE; ++i) {
        difference |= (unsigned char)text[i] ^ (unsigned char)token[i];
    }
    return difference == 0;
}

/* ---- addresses ------------------------------------------------------------------------------------------------------ */

static int answer_page(request *r)
{
    if (r->server->service.page != NULL) {
        cli_answer answer = {.status = 404, .why = "there is no page here"};
        r->server->service.page(r->server->service.user, &answer);
        const int status = answer.bytes != NULL ? reply(r->connection, 200, type_html, r->server->policy, "",
                                                        answer.bytes, answer.size, r->head)
                                                : refuse(r, answer.status, answer.why);
        free(answer.bytes);
        return status;
    }
    size_t size = 0;
    const char *page = brn_view_page(&size);
    return reply(r->connection, 200, type_html, r->server->policy, "", page, size, r->head);
}

static int answer_run(request *r)
{
    cli_answer answer = {.status = 404, .why = "there is no run here"};
    r->server->service.run(r->server->service.user, &answer);
    return pass_on(r, &answer);
}

static int answer_frame(request *r)
{
    cli_answer answer = {.status = 404, .why = "there is no such frame"};
    r->server->service.frame(r->server->service.user, r->index, &answer);
    return pass_on(r, &answer);
}

/* Reads exactly what Content-Length says. */
static int answer_shot(request *r)
{
    const long long length = r->info->content_length;
    const char *given = header(r, "Content-Length");
    if (header(r, "Transfer-Encoding") != NULL || given == NULL || given[0] == '\0') {
        return refuse(r, 411, "a picture comes with its Content-Length");
    }
    if (length < 1 || (unsigned long long)length > r->server->service.shot_max) {
        return refuse(r, 413, "a picture of this size is not taken");
    }
    char *bytes = malloc((size_t)length);
    if (bytes == NULL) {
        return refuse(r, 503, "out of memory");
    }
    size_t got = 0;
    for (const double until = cli_now() + POST_SECONDS; got < (size_t)length && cli_now() < until;) {
        const int n = mg_read(r->connection, bytes + got, (size_t)length - got);
        if (n <= 0) {
            break;
        }
        got += (size_t)n;
    }
    if (got < (size_t)length) {
        free(bytes);
        return refuse(r, 408, "the picture did not arrive in full");
    }
    cli_answer answer = {.status = 204, .why = "the picture was not taken"};
    r->server->service.shot(r->server->service.user, r->index, bytes, got, &answer);
    free(bytes);
    return pass_on(r, &answer);
}

/* 0 lets the library continue the handshake. */
static int answer_live(request *r)
{
    const char *upgrade = header(r, "Upgrade"), *version = header(r, "Sec-WebSocket-Version");
    const char *key = header(r, "Sec-WebSocket-Key");
    if (upgrade == NULL || strcasecmp(upgrade, "websocket") != 0 || r->head) {
        return refuse(r, 426, "this is the address of a WebSocket");
    }
    if (version == NULL || strcmp(version, "13") != 0 || key == NULL || strlen(key) != 24) {
        return refuse(r, 400, "a WebSocket of version 13 with its key is needed");
    }
    (void)pthread_mutex_lock(&r->server->lock);
    bool full = true;
    for (int i = 0; i < CLI_SOCKETS_MAX; ++i) {
        full = full && r->server->sockets[i] != NULL;
    }
    (void)pthread_mutex_unlock(&r->server->lock);
    return full ? refuse(r, 503, "as many pages as are allowed look at this simulation already") : 0;
}

typedef struct route {
    const char *path; /* behind the token; with an index: what stands before it */
    bool indexed, post;
    int (*answer)(request *r);
} route;

static bool is_served(const cli_service *s, const route *way)
{
    return way->answer == answer_page || (way->answer == answer_run && s->run != NULL) ||
           (way->answer == answer_frame && s->frame != NULL) ||
           (way->answer == answer_shot && s->shot != NULL) ||
           (way->answer == answer_live && s->opened != NULL);
}

/* Digits only, no zero in front, at most CLI_INDEX_MAX; -1: not an index. */
static int read_index(const char *text)
{
    int value = 0;
    if (text[0] == '\0' || (text[0] == '0' && text[1] != '\0')) {
        return -1;
    }
    for (const char *p = text; *p != '\0'; ++p) {
        if (*p < '0' || *p > '9' || value > CLI_INDEX_MAX / 10) {
            return -1;
        }
        value = 10 * value + (*p - '0');
    }
    return value <= CLI_INDEX_MAX ? value : -1;
}

static const route *find_route(request *r, const char *path)
{
    static const route routes[] = {
        {"", false, false, answer_page},       {"run", false, false, answer_run},
        {"frame/", true, false, answer_frame}, {"live", false, false, answer_live},
        {"shot/", true, true, answer_shot},
    };
    for (size_t i = 0; i < sizeof routes / sizeof *routes; ++i) {
        const size_t length = strlen(routes[i].path);
        if (!is_served(&r->server->service, &routes[i]) || strncmp(path, routes[i].path, length) != 0) {
            continue;
        }
        r->index = routes[i].indexed ? read_index(path + length) : 0;
        if (routes[i].indexed ? r->index >= 0 : path[length] == '\0') {
            return &routes[i];
        }
    }
    return NULL;
}

/* The invitation leads to the page, once. */
static int answer_invite(const request *r, const char *path)
{
    bool valid = false;
    (void)pthread_mutex_lock(&r->server->lock);
    if (r->server->once[0] != '\0' && strlen(path) == CLI_TOKEN_SIZE && same_token(path, r->server->once)) {
        valid = cli_now() < r->server->once_until;
        r->server->once[0] = '\0';
    }
    (void)pthread_mutex_unlock(&r->server->lock);
    if (!valid) {
        return refuse_unknown(r);
    }
    char extra[128];
    (void)snprintf(extra, sizeof extra, "Location: /%s/\r\n", r->server->token);
    return reply(r->connection, 303, type_text, policy_none, extra, "", 0, r->head);
}

int cli_request(struct mg_connection *connection)
{
    request r = {.server = mg_get_user_context_data(connection),
                 .connection = connection,
                 .info = mg_get_request_info(connection)};
    if (!atomic_load(&r.server->ready)) {
        return cli_request_error(connection, 503, ""), 503;
    }
    const char *method = r.info->request_method, *uri = r.info->request_uri;
    r.head = strcmp(method, "HEAD") == 0;
    r.post = strcmp(method, "POST") == 0;
    if (!host_is_ours(&r)) {
        return refuse(&r, 403, "this server answers to its own name only");
    }
    if (!origin_is_ours(&r)) {
        return refuse(&r, 403, "this server answers to its own page only");
    }
    if (strcmp(method, "GET") != 0 && !r.head && !(r.post && r.server->service.shot != NULL)) {
        return refuse(&r, 405, "no such method here");
    }
    /* A wrong token and a wrong address get the same answer. */
    if (uri[0] != '/' || strnlen(uri + 1, CLI_TOKEN_SIZE) < CLI_TOKEN_SIZE) {
        return refuse_unknown(&r);
    }
    if (!same_token(uri + 1, r.server->token) || uri[1 + CLI_TOKEN_SIZE] != '/') {
        return r.post ? refuse_unknown(&r) : answer_invite(&r, uri + 1);
    }
    const route *way = find_route(&r, uri + CLI_TOKEN_SIZE + 2);
    if (way == NULL || (r.info->query_string != NULL && way->answer != answer_page)) {
        return refuse_unknown(&r);
    }
    return way->post == r.post ? way->answer(&r) : refuse(&r, 405, "no such method here");
}
