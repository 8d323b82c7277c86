#include "picture/picture_files.h"

#include "picture/png.h"
#include "terminal/terminal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool cli_picture_files_name(cli_picture_files *files, const cli_picture *picture, const brn_view *view)
{
    const char *extension = picture->film ? ".mp4" : ".png";
    const char *out = picture->out;
    *files = (cli_picture_files){.wish = picture->wish};
    files->one = picture->film || (out != NULL && ends_with(out, extension) && !is_folder(out));
    if (files->one && picture->film && out != NULL && (!ends_with(out, extension) || is_folder(out))) {
        cli_error("--out %s: must be the name of an .mp4 file", out);
        return false;
    }
    int length = 0;
    if (files->one && out != NULL) {
        const char *slash = strrchr(out, '/');
        length = snprintf(files->path, sizeof files->folder, "%s", out);
        (void)snprintf(files->folder, sizeof files->folder, "%.*s",
                       slash != NULL ? (int)(slash - out) + (slash == out) : 1, slash != NULL ? out : ".");
    } else if (files->one) {
        length = snprintf(files->path, sizeof files->folder, "%s/film.mp4", picture->run_dir);
        (void)snprintf(files->folder, sizeof files->folder, "%s", picture->run_dir);
    } else {
        length = snprintf(files->folder, sizeof files->folder, "%s%s", out != NULL ? out : picture->run_dir,
                          out != NULL ? "" : "/png");
    }
    if (length >= (int)sizeof files->folder) {
        cli_error("%s: path too long", out != NULL ? out : picture->run_dir);
        return false;
    }
    if (picture->wish->time == NULL && picture->wish->frame == NULL && !files->one) {
        (void)snprintf(files->last, sizeof files->last, "%.6g",
                       brn_view_time(view, brn_view_frames(view) - 1));
    }
    return true;
}

/* With its parents. */
bool cli_picture_files_make(const cli_picture_files *files)
{
    char path[sizeof files->folder];
    (void)snprintf(path, sizeof path, "%s", files->folder);
    for (char *c = path + 1;; ++c) {
        if (*c != '/' && *c != '\0') {
            continue;
        }
        const char saved = *c;
        *c = '\0';
        if (mkdir(path, 0777) != 0 && !is_folder(path)) {
            cli_error("%s: cannot create: %s", path, strerror(errno));
            return false;
        }
        *c = saved;
        if (saved == '\0') {
            return true;
        }
    }
}

/* frame_0.24.png by time, frame_0012.png by number. */
static void name_picture(cli_picture_files *files, int k)
{
    char moment[48];
    const bool all = cli_wish_moments(files->wish) == 0;
    cli_wish_moment(files->wish, k, moment, sizeof moment);
    if (all || (files->wish->frame != NULL && moment[0] != '-')) {
        (void)snprintf(files->path, sizeof files->path, "%s/frame_%04ld.png", files->folder,
                       all ? (long)k : strtol(moment, NULL, 10));
    } else {
        (void)snprintf(files->path, sizeof files->path, "%s/frame_%s.png", files->folder,
                       moment[0] != '\0' ? moment : files->last);
    }
}

bool cli_picture_file_write(cli_picture_files *files, int k, const void *bytes, size_t size, char *problem,
                            size_t room)
{
    if (!files->one) {
        name_picture(files, k);
    }
    void *packed = NULL;
    if (cli_png_pack(bytes, size, &packed, &size)) {
        bytes = packed;
    }
    char temporary[sizeof files->path + 8];
    (void)snprintf(temporary, sizeof temporary, "%s.tmp", files->path);
    FILE *file = fopen(temporary, "wb");
    bool written = file != NULL && fwrite(bytes, 1, size, file) == size;
    written = file != NULL && fclose(file) == 0 && written;
    free(packed);
    if (written && rename(temporary, files->path) == 0) {
        return true;
    }
    (void)snprintf(problem, room, "%s: cannot write: %s", files->path, strerror(errno));
    (void)remove(temporary);
    return false;
}

bool cli_picture_file_read(const char *path, char **bytes, size_t *size)
{
    struct stat info;
    FILE *file = stat(path, &info) == 0 ? fopen(path, "rb") : NULL;
    *size = file != NULL ? (size_t)info.st_size : 0;
    *bytes = file != NULL ? malloc(*size + 1) : NULL;
    const bool done = *bytes != NULL && fread(*bytes, 1, *size, file) == *size;
    if (file != NULL) {
        (void)fclose(file);
    }
    if (!done) {
        cli_error("%s: cannot read: %s", path, strerror(errno));
    }
    return done;
}
