#include "run/run_folder.h"

#include "terminal/options.h"
#include "terminal/terminal.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool cli_folder_has(const char *dir, const char *name)
{
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%s", dir, name);
    struct stat info;
    return length > 0 && length < (int)sizeof path && stat(path, &info) == 0;
}

bool cli_folder_holds_modes(const char *dir)
{
    return cli_folder_has(dir, "modes.json") || cli_folder_has(dir, "modes.csv");
}

bool cli_folder_holds_study(const char *dir)
{
    return cli_folder_has(dir, "log.jsonl");
}

bool cli_folder_holds_coarse(const char *dir)
{
    return cli_folder_has(dir, "coarsen.json") || cli_folder_has(dir, "coarsen.csv");
}

bool cli_folder_holds_run(const char *dir)
{
    return (cli_folder_has(dir, "summary.json") && !cli_folder_holds_study(dir)) || /* which has its own */
           cli_folder_has(dir, "trajectory.h5") || cli_folder_has(dir, "checkpoint.h5") ||
           cli_folder_has(dir, "series.csv");
}

bool cli_folder_is_of_another(const char *dir, cli_contents wanted)
{
    static const struct {
        bool (*holds)(const char *dir);
        const char *found, *wanted;
    } contents[] = {
        [CLI_HOLDS_RUN] = {cli_folder_holds_run, "a run", "a run needs a folder of its own"},
        [CLI_HOLDS_MODES] = {cli_folder_holds_modes, "modes of 'brunt modes'",
                             "modes need a folder of their own"},
        [CLI_HOLDS_STUDY] = {cli_folder_holds_study, "a study", "a study needs a folder of its own"},
        [CLI_HOLDS_COARSE] = {cli_folder_holds_coarse, "a coarse scene of 'brunt coarsen'",
                              "a coarse scene needs a folder of its own"},
    };
    for (int i = 0; i < CLI_COUNT(contents); ++i) {
        if (i != (int)wanted && contents[i].holds(dir)) {
            cli_error("%s holds %s: %s, --out DIR", dir, contents[i].found, contents[wanted].wanted);
            return true;
        }
    }
    return false;
}

bool cli_folder_would_lose(const char *dir, const char *path)
{
    char name[4096];
    struct stat ours, theirs;
    const int length = snprintf(name, sizeof name, "%s/scene.yaml", dir);
    const bool same = length > 0 && length < (int)sizeof name && stat(name, &ours) == 0 &&
                      stat(path, &theirs) == 0 && ours.st_dev == theirs.st_dev &&
                      ours.st_ino == theirs.st_ino;
    if (same) {
        cli_error("%s would be replaced by the scene that is written there: choose another folder, --out DIR",
                  path);
    }
    return same;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void cli_folder_print(const char *dir)
{
    const struct {
        const char *name, *help;
    } known[] = {
        {"scene.yaml", "the scene with every default written out"},
        {"summary.json", "one flat object of figures"},
        {"series.csv", "a row per step: energies, errors, reactions, probes"},
        {"trajectory.h5", "the frames (HDF5)"},
        {"trajectory.xmf", "opens trajectory.h5 in ParaView"},
        {"report.html",
         cli_folder_holds_modes(dir) ? "plays the modes, in a browser" : "shows the run, in a browser"},
        {"checkpoint.h5", "what --resume continues from"},
        {"modes.csv", "a row per mode: frequencies, damping, masses"},
        {"modes.json", "the same with what was searched"},
        {"modes.vtu", "the shapes, for ParaView (Warp By Vector)"},
    };
    enum { FILES_MAX = 64 };
    char *names[FILES_MAX];
    int count = 0;
    DIR *folder = opendir(dir);
    for (struct dirent *entry; folder != NULL && count < FILES_MAX && (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] != '.' && (names[count] = strdup(entry->d_name)) != NULL) {
            ++count;
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    qsort(names, (size_t)count, sizeof *names, by_name);
    (void)printf("\n%s%s%s\n", cli_paint(stdout, CLI_BOLD), dir, cli_paint(stdout, CLI_PLAIN));
    for (int i = 0; i < count; ++i) {
        char path[4096], size[CLI_TEXT_SIZE];
        struct stat info;
        (void)snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        if (stat(path, &info) == 0 && S_ISREG(info.st_mode)) {
            const char *help = "";
            for (int k = 0; k < CLI_COUNT(known); ++k) {
                help = strcmp(known[k].name, names[i]) == 0 ? known[k].help : help;
            }
            (void)printf("  %-16s %10s  %s\n", names[i], cli_file_size((double)info.st_size, size), help);
        }
        free(names[i]);
    }
}
