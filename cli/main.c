/* brunt: the command. Standard streams, dispatch, --help, --version. */
#include "commands.h"
#include "terminal/options.h"
#include "terminal/terminal.h"

#include <brunt/brunt.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

typedef struct command {
    const char *name;
    const char *operands;
    const char *help;
    bool goes_on; /* its work is in files: who reads what it prints may leave */
    int (*call)(int argc, char **argv);
} command;

static const command commands[] = {
    {"run", "SCENE", "simulate a scene and write its run folder", true, cli_run},
    {"check", "SCENE", "everything wrong with a scene, or its masses, sizes and suggested step", false,
     cli_check},
    {"compare", "SCENE", "run a scene with several methods or settings and tabulate the runs", true,
     cli_compare},
    {"modes", "SCENE", "frequencies and mode shapes of a scene's bodies", true, cli_modes},
    {"coarsen", "SCENE", "find a coarse mesh that moves as a fine one does", true, cli_coarsen},
    {"calibrate", "TRACE", "frequency and decay of a ring-down, and a scene's modulus and damping from them",
     false, cli_calibrate},
    {"design", "PROBLEM", "search the parameters that make figures of a run as good as possible", true,
     cli_design},
    {"sweep", "PROBLEM|SCENE", "simulate a scene at many points and tabulate figures", true, cli_sweep},
    {"info", "[TOPIC]", "reference of methods, materials, elements and the scene format", false, cli_info},
    {"export", "DIR", "convert a run folder for other programs: vtu, obj, csv, gltf, stl, html, png, mp4",
     true, cli_export},
    {"view", "DIR|SCENE", "show a run in the browser, or simulate a scene there", true, cli_view},
    {"cone", "FILE", "solve a frictional contact problem of a file on its own", false, cli_cone},
    {"bench", "[options]", "measure the speed of this machine and this build", false, cli_bench},
};

static void print_overview(FILE *out)
{
    (void)fprintf(out, "brunt %s: deformable solids, simulated from a scene file\n\n", BRN_VERSION);
    (void)fprintf(out, "usage: brunt COMMAND [options]\n\ncommands:\n");
    for (int i = 0; i < CLI_COUNT(commands); ++i) {
        (void)fprintf(out, "  %-10s%-14s%s\n", commands[i].name, commands[i].operands, commands[i].help);
    }
    (void)fprintf(out,
                  "\n  --help, -h            print this text\n"
                  "  --version             print the version\n\n"
                  "'brunt COMMAND --help' explains a command and gives examples.\n"
                  "exit codes: 0 done, 1 the simulation could not go on (what was computed is kept),\n"
                  "            2 wrong usage or a bad scene, 130 and 143 stopped by SIGINT and SIGTERM\n\n"
                  "examples:\n"
                  "  brunt check scenes/cantilever\n"
                  "  brunt run scenes/cantilever --out out/cantilever\n"
                  "  brunt view out/cantilever\n"
                  "  brunt export out/cantilever --format vtu\n");
}

static const command *find_command(const char *name)
{
    for (int i = 0; i < CLI_COUNT(commands); ++i) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static int fail_unknown(const char *word)
{
    const char *names[CLI_COUNT(commands) + 2];
    int count = 0;
    for (; count < CLI_COUNT(commands); ++count) {
        names[count] = commands[count].name;
    }
    names[count++] = "--help";
    names[count++] = "--version";
    const int near = cli_nearest(word, names, count);
    (void)fprintf(stderr, "brunt: unknown %s '%s'", word[0] == '-' ? "option" : "command", word);
    if (near >= 0) {
        (void)fprintf(stderr, ": did you mean '%s'?", names[near]);
    }
    (void)fprintf(stderr, "\ncommands:");
    for (int i = 0; i < CLI_COUNT(commands); ++i) {
        (void)fprintf(stderr, " %s", commands[i].name);
    }
    (void)fprintf(stderr, "; 'brunt --help' explains them\n");
    return CLI_USAGE;
}

static int dispatch(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : NULL;
    if (word == NULL) {
        print_overview(stderr);
        return CLI_USAGE;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        print_overview(stdout);
        return CLI_DONE;
    }
    if (strcmp(word, "--version") == 0) {
        (void)printf("brunt %s\n", BRN_VERSION);
        return CLI_DONE;
    }
    const command *found = find_command(word);
    if (found == NULL) {
        return fail_unknown(word);
    }
    if (found->goes_on) {
        (void)signal(SIGPIPE, SIG_IGN);
    }
    return found->call(argc - 2, argv + 2);
}

/* A file of ours with the number of a closed standard stream would get everything that is printed. */
static bool occupy_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
        /* open takes the lowest free number */
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd) {
            return false;
        }
    }
    return true;
}

/* Before main OpenBLAS has started a thread a core, each of which tries for ever to get 128 MB of address space. brunt does not
   need them, as it calls BLAS from its own threads: where the space is limited, the command starts again without. */
static void restart_without_threads(char **argv)
{
    static const char name[] = "OPENBLAS_NUM_THREADS";
    const char *threads = getenv(name);
    struct rlimit space = {.rlim_cur = RLIM_INFINITY}, data = space;
    (void)getrlimit(RLIMIT_AS, &space);
    (void)getrlimit(RLIMIT_DATA, &data);
    const bool limited = space.rlim_cur != RLIM_INFINITY || data.rlim_cur != RLIM_INFINITY;
    if (limited && (threads == NULL || strcmp(threads, "1") != 0) && setenv(name, "1", 1) == 0) {
        (void)execv("/proc/self/exe", argv);
    }
}

#if defined(__x86_64__)
/* The kernels that OpenBLAS has chosen; weak, as another BLAS may stand in its place. */
char *openblas_get_corename(void) __attribute__((weak));

/* OpenBLAS takes a processor that is newer than itself for one of 2004, without AVX, and is slow on it (a landing with 300 contacts: 11.0 s instead of 7.0 s). Kernels are chosen
   before main, by the environment alone: so the command starts again with those of a processor that has the same instructions. */
static void restart_with_kernels(char **argv)
{
    static const char name[] = "OPENBLAS_CORETYPE";
    const bool old = openblas_get_corename != 0 && strcmp(openblas_get_corename(), "Prescott") == 0;
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    if (old && avx2 && getenv(name) == NULL && setenv(name, avx512 ? "SkylakeX" : "Haswell", 1) == 0) {
        (void)execv("/proc/self/exe", argv);
    }
}
#else
static void restart_with_kernels(char **argv)
{
    (void)argv;
}
#endif

/* OpenBLAS's own; weak, as another BLAS may stand in its place. */
void openblas_set_num_threads(int threads) __attribute__((weak));
int blas_thread_shutdown_(void) __attribute__((weak));

/* brunt calls BLAS from its own threads. Those of OpenBLAS would only take signals, and while a matrix is ordered SIGTERM must wait for the thread
   that does it. */
static void end_blas_threads(void)
{
    if (openblas_set_num_threads != 0 && blas_thread_shutdown_ != 0) {
        openblas_set_num_threads(1);
        (void)blas_thread_shutdown_();
    }
}

/* The standard output is a pipe that nobody reads any more. */
static bool reader_left(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

int main(int argc, char **argv)
{
    if (!occupy_streams()) {
        return CLI_FAILED; /* there is nowhere to say so */
    }
    restart_without_threads(argv);
    restart_with_kernels(argv);
    end_blas_threads();
    /* A limit of file size is an error of the write, as a full disk is. */
    (void)signal(SIGXFSZ, SIG_IGN);
    const int code = dispatch(argc, argv);
    /* Output that did not reach its file is not a success; a reader who left has seen what he wanted. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && !reader_left()) {
        cli_error("cannot write to the standard output: %s", strerror(errno));
        return code != CLI_DONE ? code : CLI_FAILED;
    }
    return code;
}
