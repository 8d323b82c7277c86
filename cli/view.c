/* brunt view: a run folder or a running simulation in the browser. */
#include "commands.h"
#include "live/live.h"
#include "run/scene_input.h"
#include "server/recorded.h"
#include "server/server.h"
#include "terminal/options.h"
#include "terminal/stop.h"
#include "terminal/terminal.h"

#include <brunt/brunt.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct view_args {
    cli_scene_input scene;
    int port, threads;
    bool no_open, paused;
} view_args;

/* ---- what is asked for ---------------------------------------------------------------------------------------------- */

typedef enum view_kind { VIEW_NEITHER, VIEW_RUN, VIEW_SCENE } view_kind;

static bool is_file_in(const char *dir, const char *name)
{
    char path[4096];
    struct stat info;
    const int length = snprintf(path, sizeof path, "%s/%s", dir, name);
    return length > 0 && length < (int)sizeof path && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* A run folder contains its scene too, so the trajectory decides. */
static view_kind recognise(const char *operand)
{
    struct stat info;
    if (stat(operand, &info) != 0) {
        cli_error("%s: there is no such file or folder", operand);
        return VIEW_NEITHER;
    }
    if (!S_ISDIR(info.st_mode)) {
        return VIEW_SCENE;
    }
    if (is_file_in(operand, "trajectory.h5")) {
        return VIEW_RUN;
    }
    if (is_file_in(operand, "scene.yaml")) {
        return VIEW_SCENE;
    }
    cli_error("%s is neither a run folder (no trajectory.h5 in it) nor a scene (no scene.yaml in it)",
              operand);
    return VIEW_NEITHER;
}

/* ---- the browser -------------------------------------------------------------------------------------------------------- */

static void become_opener(const char *url)
{
    const int null = open("/dev/null", O_RDWR);
    for (int stream = 0; null >= 0 && stream <= 2; ++stream) {
        (void)dup2(null, stream);
    }
    sigset_t none;
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)signal(SIGXFSZ, SIG_DFL);
    (void)signal(SIGCHLD, SIG_DFL);
    (void)setsid();
    (void)execlp("xdg-open", "xdg-open", url, (char *)NULL);
    _exit(127);
}

/* Through a grandchild, which nobody has to wait for. Failure does not matter: the address is on the terminal. */
static void open_browser(const char *url)
{
    const pid_t child = fork();
    if (child == 0) {
        if (fork() == 0) {
            become_opener(url);
        }
        _exit(0);
    }
    if (child > 0) {
        (void)waitpid(child, NULL, 0);
    }
}

static bool has_desktop(void)
{
    const char *display = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    return (display != NULL && display[0] != '\0') || (wayland != NULL && wayland[0] != '\0');
}

/* Serves until a signal comes; returns the exit code. */
static int serve(const view_args *args, const cli_service *service, const char *what)
{
    /* Until there is something to shut down, a signal ends the process at once. */
    cli_stop_catch();
    cli_server *server = cli_server_start(service, args->port);
    if (server == NULL) {
        return CLI_FAILED;
    }
    (void)printf("%s\n", cli_server_url(server));
    (void)fflush(stdout);
    (void)fprintf(stderr, "%s; Ctrl-C ends\n", what);
    if (!args->no_open && has_desktop() && cli_is_terminal(stdout)) {
        open_browser(cli_server_invite(server));
    }
    while (cli_stop_signal() == 0) {
        (void)nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    cli_server_stop(server);
    return 128 + cli_stop_signal(); /* what a shell expects from a process ended by a signal */
}

/* ---- a run folder -------------------------------------------------------------------------------------------------------- */

static int view_run(const view_args *args, brn_ctx *ctx)
{
    cli_recorded run;
    if (args->scene.method != NULL || args->scene.set.count > 0 || args->paused) {
        cli_error("%s is a run folder: --method, --set and --paused are for scenes", args->scene.operand);
        return CLI_USAGE;
    }
    const int opened = cli_recorded_open(&run, ctx, args->scene.operand);
    if (opened != CLI_DONE) {
        return opened;
    }
    char what[64];
    (void)snprintf(what, sizeof what, "%d frames", brn_view_frames(run.view));
    const cli_service service = {.user = &run, .run = cli_recorded_run, .frame = cli_recorded_frame};
    const int code = serve(args, &service, what);
    cli_recorded_close(&run);
    return code;
}

/* Where the log, called from another thread, finds the simulation once there is one. */
typedef _Atomic(cli_live *) live_place;

/* ---- a simulation ----------------------------------------------------------------------------------------------------------- */

static int serve_live(const view_args *args, cli_live *live)
{
    const cli_service service = cli_live_service(live);
    return serve(args, &service,
                 args->paused ? "live; start the simulation in the page"
                              : "live; the simulation starts when the page is open");
}

/* Compiles the scene; *code says what went wrong if the result is NULL. */
static brn_sim *make_sim(brn_ctx *ctx, brn_scene *scene, brn_model **model, int *code)
{
    brn_sim *sim = NULL;
    brn_status status = brn_model_compile(ctx, scene, model);
    if (status >= 0) {
        status = brn_sim_create(ctx, *model, &sim);
    }
    if (status < 0) {
        cli_scene_print_problems(ctx, scene, status);
        *code = status == BRN_ERR_SCENE ? CLI_USAGE : CLI_FAILED;
    }
    return sim;
}

static int view_scene(const view_args *args, brn_ctx *ctx, live_place *live)
{
    char *path = cli_scene_path(args->scene.operand), *text = NULL;
    brn_scene *scene = NULL;
    brn_model *model = NULL;
    brn_sim *sim = NULL;
    int code = path != NULL ? cli_scene_open(ctx, &args->scene, path, &scene) : CLI_FAILED;
    if (code == CLI_DONE) {
        sim = make_sim(ctx, scene, &model, &code);
    }
    if (sim != NULL && brn_scene_write(scene, &text) < 0) {
        cli_error("%s", brn_ctx_message(ctx));
        code = CLI_FAILED;
    } else if (sim != NULL) {
        cli_live *made = cli_live_create(ctx, model, &sim, text, args->paused);
        atomic_store(live, made);
        code = made != NULL ? serve_live(args, made) : CLI_FAILED;
        atomic_store(live, NULL);
        cli_live_destroy(made);
    }
    brn_sim_destroy(sim);
    brn_ctx_free(ctx, text);
    brn_model_destroy(model);
    brn_scene_destroy(scene);
    free(path);
    return code;
}

/* ---- the command -------------------------------------------------------------------------------------------------------------- */

/* user: where the live simulation is, once there is one. */
static void on_log(void *user, brn_log_level level, const char *message)
{
    live_place *live = user;
    if (level >= BRN_LOG_WARNING) {
        cli_live *now = atomic_load(live);
        cli_warning("%s", message);
        if (now != NULL) {
            cli_live_warn(now, message);
        }
    }
}

static int view_with(const view_args *args)
{
    const view_kind kind = recognise(args->scene.operand);
    if (kind == VIEW_NEITHER) {
        return CLI_USAGE;
    }
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = args->threads;
    options.log = on_log;
    live_place live = NULL;
    options.log_user = &live;
    brn_ctx *ctx = NULL;
    if (brn_ctx_create(&options, &ctx) < 0) {
        cli_error("out of memory");
        return CLI_FAILED;
    }
    const int code = kind == VIEW_RUN ? view_run(args, ctx) : view_scene(args, ctx, &live);
    brn_ctx_destroy(ctx);
    return code;
}

int cli_view(int argc, char **argv)
{
    view_args args = {0};
    const cli_option options[] = {
        {"port", 0, CLI_INT, "N", "port on 127.0.0.1, 0 = a free one (default)", &args.port, 0, 65535, NULL},
        {"no-open", 0, CLI_FLAG, NULL, "print the address only, open no browser", &args.no_open, 0, 0, NULL},
        {"method", 0, CLI_TEXT, "M", "scene: contact method instead of its own; see 'brunt info methods'",
         &args.scene.method, 0, 0, NULL},
        {"set", 0, CLI_LIST, "PATH=VALUE", "scene: override one value; may be repeated", &args.scene.set, 0,
         0, NULL},
        {"threads", 0, CLI_INT, "N", "worker threads, 0 = one per core", &args.threads, 0, 1024, NULL},
        {"paused", 0, CLI_FLAG, NULL, "scene: wait to be started in the page", &args.paused, 0, 0, NULL},
    };
    const cli_syntax syntax = {
        .command = "view",
        .summary = "Shows a run folder in the browser, or simulates a scene there: pause, step, drag bodies, "
                   "change friction,\n"
                   "gravity and motions while it runs. The page is served on 127.0.0.1 only, at an address "
                   "with a random\n"
                   "token; whoever has the address can see the run and steer the simulation. Ctrl-C ends.",
        .operand = "DIR|SCENE",
        .operand_help = "run folder that 'brunt run' wrote; or a scene file, or a folder with scene.yaml",
        .operands_min = 1,
        .options = options,
        .option_count = CLI_COUNT(options),
        .examples = "  brunt view out/cantilever\n"
                    "  brunt view scenes/cantilever\n"
                    "  brunt view scenes/cantilever --method ipc --set time.step=5e-3 --paused\n"
                    "  brunt view out/cantilever --port 8080 --no-open\n",
    };
    int code = cli_parse(&syntax, argc, argv, &args.scene.operand);
    if (code == CLI_PARSED) {
        code = view_with(&args);
    }
    cli_list_free(&args.scene.set);
    return code;
}
