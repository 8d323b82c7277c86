#include "picture/encoder.h"

#include "terminal/terminal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cli_encoder_find(char *path, size_t size)
{
    if (cli_program_find("ffmpeg", path, size)) {
        return true;
    }
    cli_error("films are made by ffmpeg, which is not in PATH: install it (Debian: apt install ffmpeg)");
    return false;
}

bool cli_encoder_start(cli_encoder *encoder, const char *path, const char *file, double fps)
{
    *encoder = (cli_encoder){.process = {.in = -1}};
    char log[CLI_SCRATCH_SIZE + 32], rate[32];
    if (snprintf(encoder->file, sizeof encoder->file, "%s", file) >= (int)sizeof encoder->file) {
        cli_error("%s: path too long", file);
        return false;
    }
    if (!cli_scratch_make(encoder->folder)) {
        return false;
    }
    (void)snprintf(encoder->partial, sizeof encoder->partial, "file:%s.tmp", file);
    (void)snprintf(log, sizeof log, "%s/log", encoder->folder);
    (void)snprintf(rate, sizeof rate, "%.6g", fps);
    const char *const arguments[] = {
        path, "-nostdin", "-hide_banner", "-loglevel", "error",                      //
        "-y", "-f", "image2pipe", "-c:v", "png", "-framerate", rate, "-i", "pipe:0", //
        "-c:v", "libx264", "-crf", "18", "-preset", "medium", "-pix_fmt", "yuv420p",
        /* The colours of the page: sRGB's primaries, tagged for players. */
        "-vf", "scale=out_color_matrix=bt709:out_range=tv", "-colorspace", "bt709", "-color_primaries",
        "bt709", "-color_trc", "bt709", "-movflags", "+faststart", "-f", "mp4", encoder->partial, NULL};
    return cli_process_start(&encoder->process, (char *const *)(const void *)arguments, log, NULL, true);
}

bool cli_encoder_add(cli_encoder *encoder, const void *png, size_t size)
{
    const char *bytes = png;
    while (size > 0) {
        const ssize_t written = write(encoder->process.in, bytes, size);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

static void tell_failure(const cli_encoder *encoder)
{
    char path[CLI_SCRATCH_SIZE + 32], text[1024] = "";
    (void)snprintf(path, sizeof path, "%s/log", encoder->folder);
    FILE *log = fopen(path, "r");
    const size_t length = log != NULL ? fread(text, 1, sizeof text - 1, log) : 0;
    text[length] = '\0';
    if (log != NULL) {
        (void)fclose(log);
    }
    cli_error("ffmpeg could not make %s (exit code %d)%s%.*s", encoder->file, encoder->process.code,
              length > 0 ? ": " : "", (int)strcspn(text, "\n"), text);
}

bool cli_encoder_end(cli_encoder *encoder)
{
    if (!cli_process_finish(&encoder->process, 600.0)) {
        cli_error("ffmpeg does not finish %s", encoder->file);
        return false;
    }
    const char *partial = encoder->partial + strlen("file:");
    if (encoder->process.code != 0) {
        tell_failure(encoder);
        return false;
    }
    if (rename(partial, encoder->file) != 0) {
        cli_error("%s: cannot replace: %s", encoder->file, strerror(errno));
        return false;
    }
    return true;
}

void cli_encoder_drop(cli_encoder *encoder)
{
    cli_process_kill(&encoder->process);
    if (encoder->partial[0] != '\0') {
        (void)remove(encoder->partial + strlen("file:"));
    }
    cli_scratch_remove(encoder->folder);
    encoder->folder[0] = '\0';
}
